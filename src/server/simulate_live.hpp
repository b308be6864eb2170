#pragma once
// Tries a policy on the last minutes of live traffic and compares it with the active one, for the admin interface.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/endpoints.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/observe/logs.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace headgate::server {

/// Runs one simulation at a time, on the side thread, for at most a tenth of that thread's time. Any thread. The
/// arguments must outlive this object.
class SimulateLive : public std::enable_shared_from_this<SimulateLive> {
 public:
  SimulateLive(const admin::OperatorBoard& operators, observe::Logs& logs, admin::RunAside aside)
      : operators_(operators), logs_(logs), aside_(std::move(aside)) {}

  /// Simulates the policy of `config` and passes the answer to `give`. `config` is the text of a configuration, whose
  /// relative paths begin at the directory of the active file.
  void ask(std::string config, const admin::AdminEndpoint::Give& give);

 private:
  using Steady = std::chrono::steady_clock::time_point;

  admin::AdminAnswer answer(const std::string& text);

  const admin::OperatorBoard& operators_;
  observe::Logs& logs_;
  const admin::RunAside aside_;
  std::mutex mutex_;
  bool runs_ = false;
  Steady next_{};  ///< no simulation begins before this moment
};

}  // namespace headgate::server
