#pragma once
// Connects each row of the table to the member of the options that receives its value. One walk over the rows fills the
// options. The same rows also show the options, so that a default is written only once, in the options. Included only
// by files that define keys of the table, and by code that shows a configuration.

#include "config/table.hpp"
#include "config/text/document.hpp"

#include "headgate/core/literals.hpp"

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace headgate::config {

/// The address of this variable identifies the type T in the table.
template <class T>
inline constexpr char kTypeOf = 0;

/// Returns the form of `shape` that a value of this kind has; null if it has none.
const Shape* form_for(const Shape& shape, const Node& node);

/// Fills the members of `out` that rows of `section` lead to; `type` identifies the type of `out`. Values that are
/// absent or already reported leave their members unchanged. `node` may be null, and need not be an object.
void fill_rows(const Node* node, const Section& section, const void* type, void* out);

template <class T>
void fill(const Node* node, const Section& section, T& out) {
  fill_rows(node, section, &kTypeOf<T>, &out);
}

namespace rows {

// Each `set` returns whether there was a value.
bool set(const Node& node, const Shape& shape, bool& out);
bool set(const Node& node, const Shape& shape, std::string& out);
bool set(const Node& node, const Shape& shape, Duration& out);
bool set(const Node& node, const Shape& shape, std::vector<std::string>& out);
/// Returns the index of the chosen word; empty if the node has none of the words.
std::optional<std::size_t> chosen(const Node& node, const Shape& shape);
/// Returns a size in bytes.
std::optional<std::uint64_t> bytes_of(const Node& node);

std::string text(const Shape& shape, bool value);
std::string text(const Shape& shape, const std::string& value);
std::string text(const Shape& shape, Duration value);
std::string text(const Shape& shape, const std::vector<std::string>& value);
/// Returns a size with its unit, which is also written for bytes.
std::string text_of_size(std::uint64_t bytes);
std::string word_at(const Shape& shape, std::size_t at);

template <std::integral Number>
bool set(const Node& node, const Shape& shape, Number& out) {
  if (shape.form == Shape::Form::size) {
    const auto bytes = bytes_of(node);
    if (bytes) out = static_cast<Number>(*bytes);
    return bytes.has_value();
  }
  if (node.kind != Kind::number) return false;
  Number value{};
  const char* const end = node.text.data() + node.text.size();
  const auto [last, error] = std::from_chars(node.text.data(), end, value);
  if (error != std::errc() || last != end) return false;
  out = value;
  return true;
}

template <class Enum>
requires std::is_enum_v<Enum>
bool set(const Node& node, const Shape& shape, Enum& out) {
  const auto at = chosen(node, shape);
  if (at) out = static_cast<Enum>(*at);
  return at.has_value();
}

/// Fills the options of a section.
template <class Part>
requires std::is_aggregate_v<Part>
bool set(const Node& node, const Shape& shape, Part& out) {
  if (shape.section == nullptr || node.kind != Kind::object) return false;
  fill(&node, *shape.section, out);
  return true;
}

/// Fills an optional. The optional stays empty if no value is written.
template <class Value>
bool set(const Node& node, const Shape& shape, std::optional<Value>& out) {
  Value value{};
  if (!set(node, shape, value)) return false;
  out = std::move(value);
  return true;
}

template <std::integral Number>
std::string text(const Shape& shape, Number value) {
  return shape.form == Shape::Form::size ? text_of_size(static_cast<std::uint64_t>(value)) : std::to_string(value);
}

template <class Enum>
requires std::is_enum_v<Enum> std::string text(const Shape& shape, Enum value) {
  return word_at(shape, static_cast<std::size_t>(value));
}

template <class Part>
requires std::is_aggregate_v<Part> std::string text(const Shape&, const Part&) {
  return {};  // a section is shown by its own rows
}

template <class Value>
std::string text(const Shape& shape, const std::optional<Value>& value) {
  return value ? text(shape, *value) : std::string();
}

template <class Options, class Member>
Options options_of(Member Options::*);

template <auto First, auto... Rest>
auto& member(auto& options) {
  if constexpr (sizeof...(Rest) == 0)
    return options.*First;
  else
    return member<Rest...>(options.*First);
}

template <auto First, auto... Rest>
struct Row {
  using Options = decltype(options_of(First));

  static void put(const Node& node, const Shape& shape, void* out) {
    auto& value = member<First, Rest...>(*static_cast<Options*>(out));
    if (const Shape* form = form_for(shape, node)) set(node, *form, value);
  }
  static std::string show(const Shape& shape, const void* in) {
    static const Options usual{};
    const auto& options = in == nullptr ? usual : *static_cast<const Options*>(in);
    return text(shape, member<First, Rest...>(options));
  }
};

/// The result type of a function that reads a text.
template <auto Read, auto First, auto... Rest>
struct ReadRow {
  using Options = decltype(options_of(First));

  static void put(const Node& node, const Shape&, void* out) {
    if (node.kind != Kind::string) return;
    if (auto value = Read(node.text); value.has_value())
      member<First, Rest...>(*static_cast<Options*>(out)) = std::move(*value);
  }
};

}  // namespace rows

/// Leads the value to this member, or to a member of a member. The type of the last one decides how the value is read.
/// Possible types are bool, a number, a duration, a text, a word of a choice, texts, the options of a section, and a
/// std::optional of one of these.
template <auto... Path>
inline constexpr Into into{&kTypeOf<typename rows::Row<Path...>::Options>, &rows::Row<Path...>::put,
                           &rows::Row<Path...>::show};

/// Leads the result of `Read`, a function from the text to a Result, to the member.
template <auto Read, auto... Path>
inline constexpr Into read_into{&kTypeOf<typename rows::ReadRow<Read, Path...>::Options>,
                                &rows::ReadRow<Read, Path...>::put, nullptr};

}  // namespace headgate::config
