#pragma once
// The type of a row in the table of access log fields (access_fields.hpp).

#include "headgate/core/time.hpp"
#include "headgate/observe/key_id.hpp"
#include "headgate/observe/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace headgate::observe {

struct AccessRecord;

/// A record and the other values that its line needs.
struct AccessLine {
  const AccessRecord& record;
  const LogOptions& options;  ///< the options of the log, with `key` set
  Instant at;                 ///< time at which the exchange ended
  std::uint64_t dropped = 0;  ///< number of similar lines that were dropped just before this one
};

/// Longest logged part of a text, in bytes. Escaping may turn one byte into six.
inline constexpr std::size_t kMaxWord = 512;
inline constexpr std::size_t kMaxPath = 4096;
inline constexpr std::size_t kMaxAgent = 1024;
inline constexpr std::size_t kMaxQuery = 1024;
inline constexpr std::size_t kMaxCall = 4096;

inline std::uint64_t count_of(Duration duration) noexcept {
  return static_cast<std::uint64_t>(duration.count() > 0 ? duration.count() : 0);
}
inline std::chrono::seconds seconds_up(Duration duration) noexcept {
  return std::chrono::seconds((count_of(duration) + 999'999) / 1'000'000);
}
inline std::string_view http_version(unsigned version) noexcept {
  return version == 10 ? "1.0" : version == 20 ? "2.0" : "1.1";
}
inline std::string_view http_protocol(unsigned version) noexcept {
  return version == 10 ? "HTTP/1.0" : version == 20 ? "HTTP/2.0" : "HTTP/1.1";
}
inline std::string_view without_port(std::string_view host) noexcept {
  const auto colon = host.rfind(':');
  return colon == host.npos || host.ends_with(']') ? host : host.substr(0, colon);
}

/// The source of a field's value. The type of the source decides the spelling: a `Duration` is written in milliseconds
/// with three decimals, and all others unchanged. Negative numbers are written as 0.
using AccessValue = std::variant<std::monostate, std::string_view AccessRecord::*, unsigned AccessRecord::*,
                                 std::int64_t AccessRecord::*, std::uint64_t AccessRecord::*, Duration AccessRecord::*,
                                 boost::asio::ip::address AccessRecord::*, std::string_view (*)(const AccessLine&),
                                 std::uint64_t (*)(const AccessLine&), std::chrono::seconds (*)(const AccessLine&),
                                 Instant (*)(const AccessLine&), KeyId (*)(const AccessLine&)>;

/// Whether a field is written although its value is empty or 0. The format `text` writes an empty field only if the
/// value here is `written`.
enum class Empty : std::uint8_t { written, left_out_in_ecs, left_out };

using Condition = std::optional<bool (*)(const AccessRecord& record)>;

/// A field, and its spelling in each format.
struct AccessField {
  std::string_view name;  ///< name in the format `json`
  std::string_view ecs;   ///< name in the format `ecs`
  /// text before the value in the format `text`; empty if the format omits the field or places it outside the rows
  std::string_view text = {};
  AccessValue value;
  AccessValue in_ecs = {};  ///< the value in the format `ecs` if it differs
  Empty empty = Empty::written;
  bool of_limit = false;        ///< true for fields of lines that have a limit; these rows are adjacent
  Condition applies = {};       ///< whether a line has the field; null if every line has it
  Condition in_text = {};       ///< further condition for the format `text`; null if there is none
  std::size_t most = kMaxWord;  ///< longest logged part of the text, in bytes
  bool ours = false;            ///< true if the text is a word of headgate: it is short and needs no escaping
  std::string_view meaning;     ///< description in docs/logs.md

  /// Returns whether every line of the format `json` has the field, or every line with a limit if `with_limit` is set.
  constexpr bool stands_always(bool with_limit = false) const noexcept {
    return empty != Empty::left_out && (!of_limit || with_limit) && !applies;
  }
};

}  // namespace headgate::observe
