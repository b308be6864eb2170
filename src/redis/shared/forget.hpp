#pragma once
// Forgets the use of all keys of a limit: examines the keys of every master in small steps.

#include "redis/pause.hpp"
#include "redis/servers/servers.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/redis/forget_result.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace headgate::redis {

/// The waits of forget_limit() for servers that do not answer at the moment.
struct ForgetPauses {
  boost::asio::io_context::executor_type executor;
  Pauses waiting{};
  bool stopped = false;

  /// Ends all current and later waits.
  void stop();
};

/// See SharedLimiter::forget. At least one step is made even after `until`. A call waits at most five seconds for
/// servers that do not answer.
Task<Result<ForgetResult>> forget_limit(std::shared_ptr<Servers> servers, std::shared_ptr<ForgetPauses> pauses,
                                        std::string prefix, std::string limit, std::string from,
                                        std::chrono::steady_clock::time_point until);

}  // namespace headgate::redis
