#pragma once
// Writers for the rows of the table of fields in each format. They are generated at compile time, so no table is read
// at run time.

#include "words.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/text_cursor.hpp"
#include "headgate/core/utf8.hpp"
#include "headgate/observe/access_fields.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace headgate::observe {

inline constexpr std::size_t kMaxNamed = 256;      // maximum number of logged bytes of one configured field
inline constexpr std::size_t kMaxAllNamed = 2048;  // maximum number of logged bytes of all configured fields together
inline constexpr std::string_view kEllipsis = "...";

inline constexpr std::size_t kRows = kAccessFields.size();

// The index of the first row of limits; these rows are adjacent.
inline constexpr std::size_t kLimitRows = [] {
  std::size_t at = 0;
  while (!kAccessFields[at].of_limit) ++at;
  return at;
}();
inline constexpr std::size_t kRowsAfterLimit = [] {
  std::size_t at = kLimitRows;
  while (kAccessFields[at].of_limit) ++at;
  return at;
}();
static_assert(std::none_of(kAccessFields.begin() + kRowsAfterLimit, kAccessFields.end(),
                           [](const AccessField& row) { return row.of_limit; }));

/// Returns the maximum number of bytes that a text takes after escaping, cutting and quoting, if at most `most` bytes
/// of it are logged.
constexpr std::size_t longest_text(std::size_t most) noexcept { return kMaxJsonBytes * (most + kEllipsis.size()) + 2; }

template <class Value>
constexpr std::size_t longest(const AccessField& row) noexcept {
  constexpr std::size_t kUnit = 2;
  constexpr std::size_t kAddress = 64;  // bytes of an address with the name of its interface
  constexpr std::size_t kTime = 32;
  if constexpr (std::is_same_v<Value, std::string_view>) return longest_text(row.most);
  if constexpr (std::is_same_v<Value, Duration>) return TextCursor::kMaxDigits + 4 + kUnit;
  if constexpr (std::is_same_v<Value, boost::asio::ip::address>) return kAddress + 2;
  if constexpr (std::is_same_v<Value, Instant>) return kTime + 2;
  if constexpr (std::is_same_v<Value, KeyId>) return KeyId::kSize + 2;
  return TextCursor::kMaxDigits + kUnit;
}

template <class Value>
constexpr std::size_t longest(const AccessField& row, Value AccessRecord::*) noexcept {
  return longest<Value>(row);
}
template <class Value>
constexpr std::size_t longest(const AccessField& row, Value (*)(const AccessLine&)) noexcept {
  return longest<Value>(row);
}
constexpr std::size_t longest(const AccessField&, std::monostate) noexcept { return 0; }

/// Returns the maximum number of bytes of a row, over all formats.
constexpr std::size_t longest(const AccessField& row) noexcept {
  const auto of = [&row](const AccessValue& value) {
    return std::visit([&row](auto from) { return longest(row, from); }, value);
  };
  return std::max({row.name.size(), row.ecs.size(), row.text.size()}) + 4 + std::max(of(row.value), of(row.in_ecs));
}

inline constexpr std::size_t kLongestRows = [] {
  std::size_t sum = 0;
  for (const auto& row : kAccessFields) sum += longest(row);
  return sum;
}();

inline void write_address(TextCursor& out, const boost::asio::ip::address& address) {
  if (!address.is_v4()) return out.text(address.to_string());
  const auto bytes = address.to_v4().to_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out.character('.');
    out.number(bytes[i]);
  }
}

/// Writes a text that the caller sent, with the escapes of JSON. After `most` bytes the text is cut and gets an
/// ellipsis.
inline void write_told(TextCursor& out, std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return write_json_text(out, text);
  write_json_text(out, whole_characters(text, most));
  out.text(kEllipsis);
}

/// Calls write(word, value, most) for each configured field, where `most` is the number of bytes of its value to log.
template <class Write>
void each_named(const AccessRecord& record, Write&& write) {
  auto left = kMaxAllNamed;
  for (const auto& [word, value] : record.fields) {
    const auto most = std::min(kMaxNamed, left);
    write(word, value, most);
    left -= std::min(value.size(), most);
  }
}

inline bool is_empty(std::string_view text) noexcept { return text.empty(); }
inline bool is_empty(std::uint64_t number) noexcept { return number == 0; }
inline bool is_empty(std::chrono::seconds time) noexcept { return time.count() <= 0; }
inline bool is_empty(Duration time) noexcept { return time.count() <= 0; }

/// Writes one row of the table in one of the formats that have rows: json, ecs or text.
template <LogFormat format, std::size_t at>
struct WrittenField {
  static constexpr const AccessField& kField = kAccessFields[at];
  static constexpr const AccessValue& kValue =
      format == LogFormat::ecs && kField.in_ecs.index() != 0 ? kField.in_ecs : kField.value;
  static constexpr bool kObject = format != LogFormat::text;
  static constexpr std::string_view kName = format == LogFormat::json  ? kField.name
                                            : format == LogFormat::ecs ? kField.ecs
                                                                       : kField.text;
  static constexpr bool kLeavesOutEmpty =
      format == LogFormat::json ? kField.empty == Empty::left_out : kField.empty != Empty::written;

  static decltype(auto) value(const AccessLine& line) {
    constexpr auto kFrom = std::get<kValue.index()>(kValue);
    if constexpr (std::is_member_object_pointer_v<decltype(kFrom)>)
      return (line.record.*kFrom);
    else
      return kFrom(line);
  }
  using Value = std::remove_cvref_t<decltype(value(std::declval<const AccessLine&>()))>;
  static constexpr bool kNumber =
      std::is_arithmetic_v<Value> || std::is_same_v<Value, Duration> || std::is_same_v<Value, std::chrono::seconds>;

  /// The text before the value: `,"name":` and the opening quote of a text; in the format `text` the field's prefix.
  static constexpr auto kBeginning = [] {
    constexpr std::size_t kAround = !kObject ? 0 : kNumber ? 4 : 5;
    std::array<char, kName.size() + kAround> out{};
    auto to = out.begin();
    if (kObject) *to++ = ',', *to++ = '"';
    to = std::copy(kName.begin(), kName.end(), to);
    if (kObject) *to++ = '"', *to++ = ':';
    if (kObject && !kNumber) *to = '"';
    return out;
  }();

  static void write(TextCursor& out, const Value& value) {
    if constexpr (std::is_same_v<Value, std::string_view>) {
      if constexpr (kField.ours)
        out.text(value);
      else
        write_told(out, value, kField.most);
    } else if constexpr (std::is_same_v<Value, boost::asio::ip::address>) {
      write_address(out, value);
    } else if constexpr (std::is_same_v<Value, Instant>) {
      write_time(out, value);
    } else if constexpr (std::is_same_v<Value, KeyId>) {
      out.text(value.text());
    } else if constexpr (std::is_same_v<Value, Duration>) {
      write_thousandths(out, count_of(value));
    } else if constexpr (std::is_same_v<Value, std::chrono::seconds>) {
      out.number(value.count());
    } else if constexpr (std::is_signed_v<Value>) {
      out.number(static_cast<std::uint64_t>(std::max(value, Value{0})));
    } else {
      out.number(value);
    }
  }
};

}  // namespace headgate::observe
