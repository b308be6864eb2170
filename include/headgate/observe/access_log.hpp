#pragma once
// One line for each exchange, written by another thread: the path never waits for a disk.

#include "headgate/core/time.hpp"
#include "headgate/observe/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::observe {

class Lane;
class LeftOut;
class Output;
enum class Coloured : bool;

/// The content of a line. The views are valid during the call. No key in clear text. `ended_by`,
/// `decision` and `source` are words of our own; all other texts may be a caller's and hold any bytes.
struct AccessRecord {
  std::string_view request_id;
  boost::asio::ip::address address;
  std::string_view method, host, path;
  unsigned version = 11;
  unsigned status = 0;
  std::string_view grpc_status;  ///< in the words of gRPC; empty if it has none
  std::string_view ended_by, route, upstream, server;
  std::string_view reason;  ///< what went wrong at the server or in the gateway; else empty
  Duration deciding{0};     ///< how long the decisions of the limits took
  Duration delayed{0};      ///< how long it waited for a permit of a rate
  Duration queued{0};       ///< how long it waited for a permit in flight and a place at the upstream; 0: it did not
  unsigned attempts = 0;
  std::string_view retried;  ///< why there was more than one: "503,timeout"; else empty
  std::uint64_t in_bytes = 0, out_bytes = 0;
  std::string_view compressed;        ///< the coding of its answer, if that was compressed here: "br"; else empty
  std::uint64_t compressed_from = 0;  ///< the bytes of its body before
  Duration elapsed{0}, upstream_elapsed{0};
  std::string_view tls;   ///< the version of TLS that the client uses with us, "1.3"; else empty
  std::string_view auth;  ///< the credential that was refused and why, "jwt:expired"; else empty
  /// The limit that is logged, and its decision; empty if there was no check.
  std::string_view limit, tier, key, decision, source;
  std::int64_t cost = 0;  ///< units that were charged or rejected; of a cost that the answer says, the settled one
  std::int64_t held = 0;  ///< units that were taken before the answer
  std::uint64_t remaining = 0;
  Duration retry_after{0};  ///< of a rejection: the wait that the caller was told
  /// The values that AccessLog::callers() names, in that order; empty if the caller has none.
  std::span<const std::string_view> callers;
  /// Fields of the request and the answer that the configuration names, with their words: "header.x-tenant".
  std::span<const std::pair<std::string_view, std::string_view>> fields;
  std::string_view query;  ///< without '?', credentials hidden; empty: there is none, or it is not logged
  std::string_view user_agent;
  std::string_view referer;
  std::string_view trace_id;  ///< 32 hexadecimal digits; empty without tracing
};

/// Belongs to one worker; its thread only. Lines leave in batches of up to 64 KiB, after at most a tenth of a second.
/// If they cannot leave fast enough, the newest are dropped and counted; the caller never waits.
class AccessLog {
 public:
  AccessLog() = default;  ///< off
  AccessLog(const LogOptions& options, std::shared_ptr<Output> output, Lane& lane, std::shared_ptr<LeftOut> left_out);
  AccessLog(AccessLog&&) = default;
  AccessLog& operator=(AccessLog&&) = default;

  bool on() const noexcept { return lane_ != nullptr; }
  /// Whether the line of an exchange with this status is not to be written, because only a share of those that succeed
  /// is logged. Counts it then.
  bool leaves_out(unsigned status) noexcept { return keeps_some_ && status < 400 && status != 0 && passes_over(); }
  /// What is logged about callers in clear text: "owner", "jwt.<claim>".
  const std::vector<std::string>& callers() const noexcept { return options_.callers; }
  bool wants_referer() const noexcept { return options_.format == LogFormat::combined; }
  /// Also leaves out a refusal if its key was refused a moment ago, where the options say so.
  void write(const AccessRecord& record);

 private:
  friend class Logs;
  bool passes_over() noexcept;
  void append(const AccessRecord& record, Instant at, std::uint64_t dropped);

  LogOptions options_;
  std::shared_ptr<Output> output_;
  Lane* lane_ = nullptr;
  std::shared_ptr<LeftOut> left_out_;  ///< shared by all workers; null: nothing is left out
  bool keeps_some_ = false;
  bool marked_ = false;  ///< the output wants to know how severe each line is
  Coloured coloured_{};
  std::uint64_t dice_ = 0;
  std::uint64_t passed_over_ = 0;  ///< since the last line of an exchange that succeeded
  std::string room_;               ///< for a line
};

}  // namespace headgate::observe
