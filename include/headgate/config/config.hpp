#pragma once
// A checked configuration, as the filled option types of all modules.

#include "headgate/core/time.hpp"
#include "headgate/gateway/options.hpp"
#include "headgate/gateway/upstream_options.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/limit/calendar.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/net/options.hpp"
#include "headgate/notify/span_exporter.hpp"
#include "headgate/notify/webhook.hpp"
#include "headgate/observe/options.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/session/options.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::config {

/// The admin port: metrics and administration.
struct Admin {
  net::ListenOptions listen{.host = "127.0.0.1", .port = 9900, .text = "127.0.0.1:9900"};
  /// Tokens for all endpoints except the probes; any one is enough. May be empty only on a loopback address. Never
  /// logged.
  std::vector<std::string> tokens;
  std::vector<std::string> read_tokens;  ///< tokens that may only read; never logged
  /// The reaction if the port is taken. It is `fail` if the user named the port.
  enum class IfTaken { fail, go_without, another_port };
  IfTaken if_taken = IfTaken::go_without;
};

/// The place where a value is written; `line` is 0 if the value is not written.
struct SourceLocation {
  std::size_t line = 0;    ///< number of the line, from 1
  std::size_t column = 0;  ///< column from 1, in bytes
  std::string file{};      ///< included file; empty for the main file
};

/// The places of values whose mistakes may become visible only in use, such as an address that is taken or a log file
/// that cannot be opened.
struct SourceLocations {
  std::vector<SourceLocation> listen;  ///< places of the addresses, in the order of Config::listen
  SourceLocation admin;
  SourceLocation access_log;
  SourceLocation error_log;
};

/// A configuration in the form in which it is shown: defaults are filled in, and secrets are left out.
struct Described {
  std::shared_ptr<const std::string> json;  ///< the configuration as JSON; null if there is no file
  /// A fingerprint of each text that is not shown in clear, by RFC 6901 pointer. Differs between processes.
  std::map<std::string, std::uint64_t> hidden;
  /// A JSON object of the places where values are written, by RFC 6901 pointer: "9:7", or "routes/a.json:9:7" in an
  /// included file. Holds the first kMaxPlaces; values that are not written have no place. Null if `json` is null.
  std::shared_ptr<const std::string> places{};
  static constexpr std::size_t kMaxPlaces = 20'000;
};

/// The settings for summing billed use.
struct Billing {
  Duration kept = std::chrono::hours(40 * 24);  ///< time for which the use of a day is kept after the end of that day
  std::shared_ptr<const limit::Calendar> days;  ///< the days by which use is summed; never null
};

/// A whole configuration file, with the defaults filled in. It is always valid: all names resolve, every cost can be
/// granted, and every limit has a key for each request that it counts.
struct Config {
  std::string instance = "headgate";       ///< name of this gateway in logs and Via
  std::vector<net::ListenOptions> listen;  ///< addresses for clients, at least one
  unsigned workers = 0;                    ///< number of threads; 0 for one per core
  Duration drain_delay{0};                 ///< time for which the listeners stay open after SIGTERM
  /// time for which the gateway waits for requests in flight after `drain_delay`
  Duration drain = std::chrono::seconds(20);
  /// Time for which a process that an upgrade has replaced waits for its connections.
  Duration upgrade_drain = std::chrono::hours(1);
  std::string pid_file;        ///< path of the file with the process id; empty if there is none
  std::optional<Admin> admin;  ///< the admin interface; empty if its port is off
  identity::IdentityOptions identity;
  std::optional<redis::RedisOptions> redis;
  bool unready_without_redis = false;  ///< whether /readyz answers 503 while Redis does not answer
  limit::MemoryOptions memory;
  std::vector<gateway::UpstreamOptions> upstreams;
  std::vector<limit::Limit> limits;
  std::optional<notify::WebhookOptions> webhook;
  std::optional<Billing> billing;              ///< options of billing; empty if no limit is billed
  std::optional<notify::TraceOptions> traces;  ///< options of the span exporter; empty if no spans are exported
  gateway::PathOptions gateway;
  session::Timeouts timeouts;
  session::Bounds bounds;
  observe::LogOptions log;
  SourceLocations places;
  /// candidate configuration, which decides on the same requests, but without effect on them; null if there is none
  std::shared_ptr<const Config> candidate;
  /// Path and SHA-256 of the file that the key "candidate" names, separated by a space; empty if the key names none.
  /// The hash tells apart different texts of one file. Every process computes the same value.
  std::string named_candidate;
  std::vector<std::string> included;  ///< files that the main file includes, in the order in which they were read
  /// A fingerprint of the value of each top-level key, to find the values that a reload has changed. Fingerprints
  /// differ between processes.
  std::map<std::string, std::uint64_t> fingerprints;
  Described described;
  std::string file;    ///< path of the main file; empty if there is none
  std::string sha256;  ///< hash of the main file and the included files, in hexadecimal
};

}  // namespace headgate::config
