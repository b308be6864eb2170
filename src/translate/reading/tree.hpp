#pragma once
// YAML, JSON and properties as one tree whose nodes know their places.

#include "headgate/translate/translate.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// limit for all documents of a translation; each use of an alias counts
inline constexpr std::size_t kMaxNodes = 200'000;

struct TreeMember;

struct TreeNode {
  enum class Kind : std::uint8_t { none, text, list, map };
  Kind kind = Kind::none;
  std::string text;
  std::vector<TreeNode> items;      ///< items of a list
  std::vector<TreeMember> members;  ///< members of a map, in the order of the file
  Spot spot;

  explicit operator bool() const noexcept { return kind != Kind::none; }
  bool is_text() const noexcept { return kind == Kind::text; }
  bool is_map() const noexcept { return kind == Kind::map; }
  /// Returns the member, or a node that is absent.
  const TreeNode& operator[](std::string_view key) const noexcept;
  bool has(std::string_view key) const noexcept { return static_cast<bool>((*this)[key]); }
  /// Returns the text of a member, or `otherwise`.
  std::string get(std::string_view key, std::string_view otherwise = {}) const;
  /// Returns the texts of a list. A single text counts as a list of one.
  std::vector<std::string> texts() const;
  /// Returns the items of a list. A single value counts as a list of one.
  std::vector<const TreeNode*> each() const;
};

struct TreeMember {
  std::string key;
  TreeNode value;
};

/// Returns a whole number, or kNoNumber.
std::uint64_t number_in(std::string_view text) noexcept;
inline constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};
bool is_true(std::string_view text) noexcept;  ///< Returns whether the text is "true", "yes" or "on".

/// Parses all documents of a YAML or JSON text. `count` is the number of nodes read so far. Throws Unreadable.
std::vector<TreeNode> read_yaml(const std::string& text, const std::string& file, std::size_t& count);

/// Parses properties as a tree: "a.b[0].c=1" becomes nested maps and lists. Throws Unreadable.
TreeNode read_properties(const std::string& text, const std::string& file, std::size_t& count);

/// Converts keys with dots, which Spring allows, into nested maps.
TreeNode with_dots_as_maps(TreeNode node);

}  // namespace headgate::translate
