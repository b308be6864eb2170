#pragma once
// An entry of a shared log: its text in Redis, its id, and the position after it. No I/O.

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

/// Returns the version (see RedisSharedLog). The largest version is shared by all ids that are too large for a version,
/// which Redis cannot have made with a correct clock.
std::uint64_t version_of(const StreamId& id) noexcept;
/// Returns the lowest id with this version.
StreamId id_of(std::uint64_t version) noexcept;
/// Returns the lowest id with a higher version.
StreamId id_above(std::uint64_t version) noexcept;

/// A position in the log: the id and the digest of an entry, as in "1718000000000-3 5f0c...".
struct LogPosition {
  std::string id;  ///< empty for the beginning
  std::string digest;
};
std::string text_of(const LogPosition& position);
/// Parses a position; returns the beginning for anything that text_of did not write.
LogPosition read_log_position(std::string_view text);

/// Returns the time from `now` until `entry` ends: at most RedisSharedLog::kLongest, and negative if it has ended.
Duration rest_of(const limit::LogEntry& entry, Instant now);

/// Writes the entry for lua/shared_log.lua: "<microseconds from the beginning until now> <text>".
std::string write_entry(const limit::LogEntry& entry, Instant now);

/// The readings of both clocks at one moment.
struct TwoClocks {
  std::int64_t redis = 0;  ///< Redis TIME in microseconds
  Instant here{};
};
/// Parses a whole entry, which has no version in its text. Empty if a gateway cannot have written the times in it.
std::optional<limit::LogEntry> read_entry(std::string_view text, const TwoClocks& clocks);

}  // namespace headgate::redis
