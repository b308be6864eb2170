#pragma once
// Every key that a configuration may have, and the member of the options that receives its value. The checker, the
// schema, the reference and the functions that build the options all use this table.

#include "headgate/core/literals.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

struct Section;
struct Node;
enum class Kind;

/// Returns why `text` is not valid; empty if it is valid.
using TextCheck = std::optional<LiteralError> (*)(std::string_view text);

/// The values that one place accepts.
struct Shape {
  enum class Form { text, boolean, duration, size, rate, integer, choice, section, list, map, json, either };
  Form form = Form::text;
  std::string_view what;      ///< a noun with its article, for messages and the reference
  TextCheck check = nullptr;  ///< the check of a text, or of the keys of a map
  /// the smallest allowed integer, size in bytes, number of elements of a list or map, or duration in µs
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::span<const std::string_view> words = {};  ///< the words of a choice
  std::vector<std::string_view> (*registered)() =
      nullptr;                                   ///< returns words that other modules define, for a choice or for `doc`
  std::span<const std::string_view> later = {};  ///< words of future versions
  const Section* section = nullptr;              ///< the section of an object
  const Shape* of = nullptr;                     ///< the shape of a list's elements or a map's values
  std::span<const Shape* const> forms = {};      ///< for `either`: forms, each of another JSON type
  bool (*path)(std::string_view text) = nullptr;  ///< for a text: returns whether it is a file's path
};

enum class Presence { optional, required };

/// The destination of a value; made by rows.hpp.
struct Into {
  /// Identifies the type of the options; null if no row but a function of the section reads the value.
  const void* type = nullptr;
  void (*put)(const Node& node, const Shape& shape, void* options) = nullptr;
  /// Returns the value in the options as a user would write it; for null options, the default. Empty if the value
  /// cannot be shown.
  std::string (*show)(const Shape& shape, const void* options) = nullptr;
};

/// The `fallback` of a key whose default is that of the member to which `into` leads.
inline constexpr std::string_view kOfOptions = "(of the options)";

struct Key {
  std::string_view name;
  const Shape* shape = nullptr;
  std::string_view fallback;  ///< the default as a user would write it; "" if there is none; or kOfOptions
  std::string_view example;   ///< an example, as JSON
  std::string_view doc;       ///< one sentence without its full stop; {words} stands for the shape's words
  Into into{};
  Presence presence = Presence::optional;

  constexpr Key() = default;
  constexpr Key(std::string_view named, const Shape* takes, std::string_view usual, std::string_view for_example,
                std::string_view means, Into goes = {}, Presence must = Presence::optional)
      : name(named), shape(takes), fallback(usual), example(for_example), doc(means), into(goes), presence(must) {}
  constexpr Key(std::string_view named, const Shape* takes, std::string_view usual, std::string_view for_example,
                std::string_view means, Presence must)
      : Key(named, takes, usual, for_example, means, Into{}, must) {}
};

struct Section {
  std::string_view name;  ///< the name of the schema's definition
  std::string_view path;  ///< place of the section in the file, for the reference
  std::string_view doc;
  std::span<const Key> keys;
  std::span<const std::string_view> later = {};   ///< keys of future versions
  std::span<const std::string_view> one_of = {};  ///< keys of which exactly one must be present
};

/// The whole file.
const Section& root_section();

/// Returns the JSON kind of a form; not for `either`.
Kind json_kind(Shape::Form form);

/// Returns the default of a key as a user would write it; "" if there is none.
std::string fallback_of(const Key& key);

/// Returns the words of a shape, from `words` or from `registered`.
std::vector<std::string_view> words_of(const Shape& shape);

/// Returns the doc of a key with its words in it, as Markdown.
std::string doc_of(const Key& key);

// The words of choices that several parts use.
inline constexpr WordsUpTo<limit::Mode::observe> kModes({"enforce", "observe"});
inline constexpr std::string_view kWindows[] = {"clock", "first_use"};
inline constexpr WordsUpTo<limit::Store::redis> kStores({"memory", "redis"});
inline constexpr WordsUpTo<limit::IfRedisDown::count_locally> kIfRedisDown({"allow", "reject", "count_locally"});
inline constexpr std::string_view kLeases[] = {"auto", "off"};
inline constexpr std::string_view kAdminWords[] = {"off"};
inline constexpr std::string_view kUnlimited[] = {"unlimited"};

}  // namespace headgate::config
