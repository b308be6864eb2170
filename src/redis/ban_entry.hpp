#pragma once
// One entry of the log of suspensions: its fields in Redis, its id, and the position behind it. No I/O.

#include "headgate/core/time.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/redis/reply.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// The id of an entry of a stream: "1718000000000-3".
struct StreamId {
  std::uint64_t milliseconds = 0;
  std::uint64_t number = 0;
};
std::optional<StreamId> read_stream_id(std::string_view text);

/// See BanLog. Saturates; so ids that Redis cannot have made by a sane clock may share one.
std::uint64_t version_of(const StreamId& id) noexcept;
/// The first id with a higher version.
StreamId id_above(std::uint64_t version) noexcept;

/// An entry and its mark, as a position of the log: "1718000000000-3 5f0c...".
struct LogPosition {
  std::string id;  ///< empty: the beginning
  std::string mark;
};
std::string text_of(const LogPosition& position);
/// The beginning for anything that text_of did not write.
LogPosition read_log_position(std::string_view text);

/// How long `ban` lasts from `now` on; negative if it has ended. Cut to BanLog::kLongest.
Duration rest_of(const limit::Ban& ban, Instant now);

/// Appends the fields and values of `ban` to `out`.
void write_entry(const limit::Ban& ban, Instant now, std::string_view mark, std::vector<std::string>& out);

/// Both clocks at one moment.
struct TwoClocks {
  std::int64_t redis = 0;  ///< Redis TIME in microseconds
  Instant here{};
};
/// Reads fields and values, without the version. Nothing if a gateway cannot have written them. Unknown fields are
/// ignored: a later version may add some.
std::optional<limit::Ban> read_entry(std::span<const Reply::Element> fields, const TwoClocks& clocks);

}  // namespace headgate::redis
