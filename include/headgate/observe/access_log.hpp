#pragma once
// One line for each exchange, written by another thread: the path never waits for a disk.

#include "headgate/core/time.hpp"
#include "headgate/observe/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <memory>
#include <string_view>

namespace headgate::observe {

/// What a line says. Views live for the call. No query string, no key in clear.
struct AccessRecord {
  std::string_view request_id;
  boost::asio::ip::address address;
  std::string_view method, host, path;
  unsigned version = 11;
  unsigned status = 0;
  std::string_view ended_by, route, upstream, server;
  std::string_view reason;  ///< what went wrong behind us or in here; else empty
  unsigned attempts = 0;
  std::uint64_t in_bytes = 0, out_bytes = 0;
  Duration elapsed{0}, upstream_elapsed{0};
  std::string_view auth;  ///< the credential that was refused and why, "jwt:expired"; else empty
  std::string_view limit, key, decision, source;
  std::uint64_t remaining = 0;
  Duration retry_after{0};
  std::string_view user_agent;
};

/// Any thread. When its queue is full the oldest lines are dropped and counted, never the caller held up.
class AccessLog {
 public:
  explicit AccessLog(const LogOptions& options);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  bool on() const noexcept { return logger_ != nullptr; }
  void write(const AccessRecord& record);

 private:
  struct Logger;
  std::unique_ptr<Logger> logger_;
  LogFormat format_;
};

/// Points spdlog's default logger, which all events go to, at options.error, asynchronously. Throws spdlog::spdlog_ex
/// where a file cannot be opened. `shut_down_logs` writes out what is queued.
void open_event_log(const LogOptions& options);
void shut_down_logs();

}  // namespace headgate::observe
