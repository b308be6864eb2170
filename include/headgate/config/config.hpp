#pragma once
// A checked configuration: the filled option types of all modules.

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
  /// Any of them is required by everything but the probes; none only on a loopback address; never logged.
  std::vector<std::string> tokens;
  std::vector<std::string> read_tokens;  ///< any of them may only read; none: nobody may; never logged
  /// What happens if the port is taken: an error if the user named the port.
  enum class IfTaken { fail, go_without, another_port };
  IfTaken if_taken = IfTaken::go_without;
};

/// Where a value is written; 0: it is not.
struct SourceLocation {
  std::size_t line = 0;    ///< from 1
  std::size_t column = 0;  ///< from 1, in bytes
  std::string file{};      ///< an included file; empty: the main one
};

/// The places of what may turn out to be wrong only when it is used: an address may be taken, a log may not be opened.
struct SourceLocations {
  std::vector<SourceLocation> listen;  ///< as Config::listen
  SourceLocation admin;
  SourceLocation access_log;
  SourceLocation error_log;
};

/// A configuration as it is shown: the defaults are filled in, and no secret is there.
struct Described {
  std::shared_ptr<const std::string> json;  ///< null: there is no file
  /// By RFC 6901 pointer: a fingerprint of each text that is not shown as it is. Differs in each process.
  std::map<std::string, std::uint64_t> hidden;
  /// A JSON object: by RFC 6901 pointer where a value is written, "9:7" or of an included file "routes/a.json:9:7". Of
  /// the first kMaxPlaces; what is not written has none. Null as `json` is.
  std::shared_ptr<const std::string> places{};
  static constexpr std::size_t kMaxPlaces = 20'000;
};

/// How billed use is summed.
struct Billing {
  Duration kept = std::chrono::hours(40 * 24);  ///< how long a day stays after its end
  std::shared_ptr<const limit::Calendar> days;  ///< never null
};

/// Everything that a file says, with the defaults filled in. It is always valid: all names resolve, every cost can be
/// granted, and every key is guaranteed.
struct Config {
  std::string instance = "headgate";          ///< this gateway's name in logs and Via
  std::vector<net::ListenOptions> listen;     ///< at least one
  unsigned workers = 0;                       ///< threads; 0: one per core
  Duration drain_delay{0};                    ///< how long SIGTERM leaves the listeners open
  Duration drain = std::chrono::seconds(20);  ///< how long it then waits for requests in flight
  /// How long a process that an upgrade has replaced waits for its connections.
  Duration upgrade_drain = std::chrono::hours(1);
  std::string pid_file;        ///< path of the file with the number of the process; empty: none
  std::optional<Admin> admin;  ///< absent: off
  identity::IdentityOptions identity;
  std::optional<redis::RedisOptions> redis;
  bool unready_without_redis = false;  ///< /readyz answers 503 while Redis does not answer
  limit::MemoryOptions memory;
  std::vector<gateway::UpstreamOptions> upstreams;
  std::vector<limit::Limit> limits;
  std::optional<notify::WebhookOptions> webhook;
  std::optional<Billing> billing;              ///< not set: no limit's use is billed
  std::optional<notify::TraceOptions> traces;  ///< not set: no spans are sent anywhere
  gateway::PathOptions gateway;
  session::Timeouts timeouts;
  session::Bounds bounds;
  observe::LogOptions log;
  SourceLocations places;
  std::shared_ptr<const Config> candidate;  ///< decides beside this one, which alone counts; null: there is none
  /// Path and SHA-256 of what the key "candidate" names, with a space between; empty: it names nothing. Another text of
  /// the same file is another candidate. The same in each process.
  std::string named_candidate;
  std::vector<std::string> included;  ///< the files that the main one includes, in the order in which they were read
  /// A fingerprint of the value of each key at the top of the file: tells which of them a reload has changed. Differs
  /// in each process.
  std::map<std::string, std::uint64_t> fingerprints;
  Described described;
  std::string file;    ///< its path; empty: there is none
  std::string sha256;  ///< of the file and of those that it includes, in hexadecimal
};

}  // namespace headgate::config
