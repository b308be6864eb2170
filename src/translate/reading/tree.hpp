#pragma once
// YAML, JSON and properties as one tree with places.

#include "headgate/translate/translate.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

inline constexpr std::size_t kMaxNodes = 200'000;  ///< of all documents of a translation, aliases counted each time

struct TreeMember;

struct TreeNode {
  enum class Kind : std::uint8_t { none, text, list, map };
  Kind kind = Kind::none;
  std::string text;
  std::vector<TreeNode> items;      ///< of a list
  std::vector<TreeMember> members;  ///< of a map, in the order of the file
  Spot spot;

  explicit operator bool() const noexcept { return kind != Kind::none; }
  bool is_text() const noexcept { return kind == Kind::text; }
  bool is_map() const noexcept { return kind == Kind::map; }
  /// The member, or one that is not there.
  const TreeNode& operator[](std::string_view key) const noexcept;
  bool has(std::string_view key) const noexcept { return static_cast<bool>((*this)[key]); }
  /// The text of a member, or `otherwise`.
  std::string get(std::string_view key, std::string_view otherwise = {}) const;
  /// The texts of a list, or the one text that stands for a list.
  std::vector<std::string> texts() const;
  /// The items of a list; itself if it is one value.
  std::vector<const TreeNode*> each() const;
};

struct TreeMember {
  std::string key;
  TreeNode value;
};

/// A whole number, or npos.
std::uint64_t number_in(std::string_view text) noexcept;
inline constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};
bool is_true(std::string_view text) noexcept;  ///< "true", "yes", "on"

/// All documents of a YAML or JSON text. `count` is how many nodes were read before. Throws Unreadable.
std::vector<TreeNode> read_yaml(const std::string& text, const std::string& file, std::size_t& count);

/// A file of properties as a tree: "a.b[0].c=1" is a map of maps and lists. Throws Unreadable.
TreeNode read_properties(const std::string& text, const std::string& file, std::size_t& count);

/// A map's keys with dots in them, as Spring has them, become maps of maps.
TreeNode with_dots_as_maps(TreeNode node);

}  // namespace headgate::translate
