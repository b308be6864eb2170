#pragma once
// How logs of other gateways, and our own, are read as arrivals; and what reading them found.

#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::access_logs {

struct ReadOptions {
  /// Paths, in any order; "-" is the standard input. A file may be compressed by gzip.
  std::vector<std::string> files{};
  /// The name of a format (line_format.hpp), or a description of lines as nginx's log_format has it; empty: each file's
  /// own, found from its first lines.
  std::string format{};
  std::string host{};                         ///< of requests whose line names none
  std::vector<std::string> values{};          ///< names, as the log has them, of what LogArrivals::value() tells
  std::optional<Instant> from{};              ///< requests that began before it are left out
  std::optional<Instant> until{};             ///< requests that began then or later are left out
  std::size_t window_lines = 65'536;          ///< how many lines are held to put them in order, at most
  Duration window = std::chrono::minutes(1);  ///< how much time passes in the log while a line is held, at most
  std::size_t unread_kept = 5;                ///< how many of the lines that cannot be read are kept
};

/// A line that cannot be read.
struct UnreadLine {
  std::string file{};
  std::uint64_t line = 0;  ///< from 1; 0: the file as a whole
  std::string why{};       ///< a sentence without a final dot
  std::string text() const { return file + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + why; }
};

/// What lines do not tell: of at least one request.
struct MissingParts {
  bool address = false;       ///< who connected: it was 0.0.0.0
  bool method = false;        ///< it was GET
  bool host = false;          ///< it was ReadOptions::host
  bool query = false;         ///< the format has no query strings
  bool scheme = false;        ///< the format does not tell whether it came over TLS: it did not
  bool status = false;        ///< it was 200
  bool took = false;          ///< how long its answer took: no time
  bool fraction = false;      ///< of its time, which is in whole seconds
  bool request_size = false;  ///< the format does not tell how long bodies of requests are: there are none
  bool user_agent = false;
};

struct ReadCounts {
  std::uint64_t lines = 0;       ///< that are not empty
  std::uint64_t requests = 0;    ///< that became arrivals
  std::uint64_t unread = 0;      ///< lines that cannot be read
  std::uint64_t no_request = 0;  ///< lines that tell of something else: events, connections without a request
  std::uint64_t outside = 0;     ///< requests before `from`, or not before `until`
  std::uint64_t late = 0;        ///< arrivals that began before the one before them
  std::uint64_t assumed_ok =
      0;  ///< requests that the old gateway had refused itself, so that the server is assumed to answer 200
  std::vector<UnreadLine> first_unread{};
  MissingParts missing{};
};

}  // namespace headgate::access_logs
