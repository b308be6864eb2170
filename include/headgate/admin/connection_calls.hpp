#pragma once
// Sends an operator's request about connections to all workers, and waits a short time for their answers.

#include "headgate/admin/operator_board.hpp"
#include "headgate/session/connection_call.hpp"
#include "headgate/session/sessions.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

namespace headgate::admin {

/// The calls to the workers. Any thread. The loop is the main thread's. It outlives the workers, and this object must
/// outlive the work on it.
class ConnectionCalls {
 public:
  static constexpr auto kPatience = std::chrono::seconds(1);
  using Found = session::ConnectionCall::Found;
  /// Called on the main thread, once; dropped if that thread ends first.
  using Tell = std::function<void(Found)>;

  ConnectionCalls(OperatorBoard& operators, boost::asio::io_context& main_loop, session::Totals& totals,
                  Duration patience = kPatience)
      : operators_(operators), loop_(main_loop), totals_(totals), patience_(patience) {}

  /// Calls `tell` when all workers have answered, or after `patience` with the answers so far. The call is cancelled at
  /// workers that have not begun by then. Returns false if too many calls are in progress, or if the main thread takes
  /// no more calls.
  bool ask(session::ConnectionCall::Wanted wanted, Tell tell);

 private:
  /// Maximum number of calls in progress. Each may copy the data of all connections.
  static constexpr int kMaxCalls = 8;

  struct PendingCall;
  class UnderWay;

  OperatorBoard& operators_;
  boost::asio::io_context& loop_;
  session::Totals& totals_;
  const Duration patience_;
  const std::shared_ptr<std::atomic<int>> under_way_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace headgate::admin
