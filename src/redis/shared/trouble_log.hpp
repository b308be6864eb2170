#pragma once
// Logs why the calls of a script fail while Redis itself works. Used by the shared logs and the ledger.

#include "headgate/observe/event.hpp"
#include "headgate/observe/line_gate.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::redis {

/// The names of the log events of a TroubleLog, and the consequence of a failure.
struct TroubleEvents {
  std::string failed;
  std::string means;
  std::string works;
};

/// The log of one kind of call: writes one line for each new reason of failures, and one when calls succeed again. One
/// thread.
class TroubleLog {
 public:
  TroubleLog(TroubleEvents events, std::string_view call) : events_(std::move(events)), call_(call) {}

  void failed(std::string_view reason) {
    if (reason == reason_) return;
    reason_ = reason;
    if (gate_.pass(std::chrono::steady_clock::now()))
      observe::event(observe::LogLevel::error, events_.failed, events_.means,
                     {{"call", call_}, {"reason", reason.substr(0, kMaxReason)}, gate_.left_out()});
  }
  void worked() {
    if (reason_.empty()) return;
    reason_.clear();
    if (gate_.pass(std::chrono::steady_clock::now()))
      observe::event(observe::LogLevel::info, events_.works, {}, {{"call", call_}, gate_.left_out()});
  }

 private:
  static constexpr std::size_t kMaxReason = 200;

  TroubleEvents events_;
  std::string_view call_;
  std::string reason_;
  observe::LineGate gate_;
};

}  // namespace headgate::redis
