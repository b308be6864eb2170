#pragma once
// The options for reading logs of headgate and other gateways as arrivals, and the results of a read as counts. Used by
// cli and LogArrivals.

#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::access_logs {

struct ReadOptions {
  /// Paths, in any order; "-" is the standard input. Files may be compressed with gzip.
  std::vector<std::string> files{};
  /// The name of a format (line_format.hpp), or a description of lines in the syntax of nginx's log_format; if empty,
  /// the format of each file is detected from its first lines.
  std::string format{};
  std::string host{};                         ///< host that is assumed for lines without a host
  std::vector<std::string> values{};          ///< names in the log, for LogArrivals::value()
  std::optional<Instant> from{};              ///< requests that began before this time are skipped
  std::optional<Instant> until{};             ///< requests that began at this time or later are skipped
  std::size_t window_lines = 65'536;          ///< maximum number of lines held to sort them
  Duration window = std::chrono::minutes(1);  ///< maximum log time for which a line is held
  std::size_t unread_kept = 5;                ///< number of unreadable lines that are kept as examples
};

/// A line that cannot be read.
struct UnreadLine {
  std::string file{};
  std::uint64_t line = 0;  ///< number of the line, from 1; 0 for the file as a whole
  std::string why{};       ///< reason, a sentence without a final dot
  std::string text() const { return file + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + why; }
};

/// Facts that the lines of at least one request lack, with the assumption in their place.
struct MissingParts {
  bool address = false;       ///< client address; 0.0.0.0 is assumed
  bool method = false;        ///< method; GET is assumed
  bool host = false;          ///< host; ReadOptions::host is assumed
  bool query = false;         ///< query; the format has no query strings
  bool scheme = false;        ///< use of TLS; the format does not record TLS, and no TLS is assumed
  bool status = false;        ///< status; 200 is assumed
  bool took = false;          ///< duration of the answer; zero is assumed
  bool fraction = false;      ///< fraction of the request's time, because the log has whole seconds only
  bool request_size = false;  ///< size of the request body; the format does not record it, and no body is assumed
  bool user_agent = false;
};

struct ReadCounts {
  std::uint64_t lines = 0;       ///< lines that are not empty
  std::uint64_t requests = 0;    ///< lines that became arrivals
  std::uint64_t unread = 0;      ///< unreadable lines
  std::uint64_t no_request = 0;  ///< lines about something else, such as events and connections without a request
  std::uint64_t outside = 0;     ///< requests before `from` or not before `until`
  /// calls of headgate's rate limit service whose descriptors the log does not have, or not completely; they are
  /// skipped
  std::uint64_t untold_calls = 0;
  std::uint64_t late = 0;  ///< arrivals that began before the previous one
  /// requests that the old gateway had refused itself, for which an answer of 200 is assumed
  std::uint64_t assumed_ok = 0;
  std::vector<UnreadLine> first_unread{};
  MissingParts missing{};
};

}  // namespace headgate::access_logs
