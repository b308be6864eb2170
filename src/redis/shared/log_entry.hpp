#pragma once
// One entry of a shared log: its text in Redis, its id, and the position behind it. No I/O.

#include "headgate/core/time.hpp"
#include "headgate/limit/shared_log.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::redis {

/// The id of an entry of a stream: "1718000000000-3".
struct StreamId {
  std::uint64_t milliseconds = 0;
  std::uint64_t number = 0;
};
std::optional<StreamId> read_stream_id(std::string_view text);

/// See RedisSharedLog. Saturates; so ids that Redis cannot have made by a sane clock may share one.
std::uint64_t version_of(const StreamId& id) noexcept;
/// The least id with this version.
StreamId id_of(std::uint64_t version) noexcept;
/// The first id with a higher version.
StreamId id_above(std::uint64_t version) noexcept;

/// An entry and its digest, as a position of the log: "1718000000000-3 5f0c...".
struct LogPosition {
  std::string id;  ///< empty: the beginning
  std::string digest;
};
std::string text_of(const LogPosition& position);
/// The beginning for anything that text_of did not write.
LogPosition read_log_position(std::string_view text);

/// Returns how long `entry` lasts from `now` on; negative if it has ended. Cut to RedisSharedLog::kLongest.
Duration rest_of(const limit::LogEntry& entry, Instant now);

/// What lua/shared_log.lua calls the rest of an entry: "<microseconds from the beginning until now> <text>".
std::string write_entry(const limit::LogEntry& entry, Instant now);

/// Both clocks at one moment.
struct TwoClocks {
  std::int64_t redis = 0;  ///< Redis TIME in microseconds
  Instant here{};
};
/// Reads a whole entry, without the version. Nothing if a gateway cannot have written its times.
std::optional<limit::LogEntry> read_entry(std::string_view text, const TwoClocks& clocks);

}  // namespace headgate::redis
