#pragma once
// The answers of the echo upstream. The request chooses status, delay and size.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/net/timers.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::cli {

struct EchoDefaults {
  unsigned status = 200;
  Duration delay{0};
  std::uint64_t bytes = 0;
  Duration fails{0};        ///< time at the end of each `fails_every` in which all answers are 503; zero for never
  Duration fails_every{0};  ///< counted from startup
};

/// Answers as the request wants. The query (?status=503&delay=20ms&bytes=1000) takes precedence over the header fields
/// (X-Echo-Status, X-Echo-Delay, X-Echo-Bytes), and these over the defaults. Without a size the body describes the
/// request. Worker thread only.
class EchoHandler final : public gateway::Handler {
 public:
  EchoHandler(const EchoDefaults& defaults, net::Timers& timers) : defaults_(defaults), timers_(timers) {}
  Task<void> handle(gateway::Exchange& x) override;
  void refused(gateway::Exchange&) override {}

 private:
  Task<void> send_bytes(gateway::Exchange& x, const http::ReplyStart& start, std::uint64_t bytes);
  bool fails_now(const Clock& clock) const noexcept;

  EchoDefaults defaults_;
  net::Timers& timers_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace headgate::cli
