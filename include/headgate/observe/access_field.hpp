#pragma once
// A row of the table of fields that the line of an exchange may have (access_fields.hpp).

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

/// A record with the rest of what its line tells.
struct AccessLine {
  const AccessRecord& record;
  const LogOptions& options;  ///< with `key`
  Instant at;                 ///< when the exchange ended
  std::uint64_t dropped = 0;  ///< how many lines like this one were left out before it
};

/// How many bytes of a text are logged. A byte may need six when it is escaped.
inline constexpr std::size_t kMaxWord = 512;
inline constexpr std::size_t kMaxPath = 4096;
inline constexpr std::size_t kMaxAgent = 1024;
inline constexpr std::size_t kMaxQuery = 1024;

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

/// Where the value of a field is. Its type says how it is written: a `Duration` is told in milliseconds with three
/// decimals, all others as they are, and a number below 0 as 0.
using AccessValue = std::variant<std::monostate, std::string_view AccessRecord::*, unsigned AccessRecord::*,
                                 std::int64_t AccessRecord::*, std::uint64_t AccessRecord::*, Duration AccessRecord::*,
                                 boost::asio::ip::address AccessRecord::*, std::string_view (*)(const AccessLine&),
                                 std::uint64_t (*)(const AccessLine&), std::chrono::seconds (*)(const AccessLine&),
                                 Instant (*)(const AccessLine&), KeyId (*)(const AccessLine&)>;

/// Where a field stands although its value is empty or 0. The format `text` has only the first.
enum class Empty : std::uint8_t { written, left_out_in_ecs, left_out };

using Condition = std::optional<bool (*)(const AccessRecord& record)>;

/// A field, and how each format writes it.
struct AccessField {
  std::string_view name;       ///< in the format `json`
  std::string_view ecs;        ///< in the format `ecs`
  std::string_view text = {};  ///< what stands before the value in `text`; empty: no place, or one beside the rows
  AccessValue value;
  AccessValue in_ecs = {};  ///< if it is another one there
  Empty empty = Empty::written;
  bool of_limit = false;        ///< only in lines that have a limit; these rows are together
  Condition applies = {};       ///< to which lines; without one to all
  Condition in_text = {};       ///< which of these have it in `text`, too
  std::size_t most = kMaxWord;  ///< bytes of a text that are logged
  bool ours = false;            ///< the text is a word of our own: it is short and needs no escape
  std::string_view meaning;     ///< its sentence in docs/logs.md

  /// Whether each line of the format `json` has it, or each that has a limit.
  constexpr bool stands_always(bool with_limit = false) const noexcept {
    return empty != Empty::left_out && (!of_limit || with_limit) && !applies;
  }
};

}  // namespace headgate::observe
