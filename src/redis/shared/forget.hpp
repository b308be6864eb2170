#pragma once
// Forgets what all keys of a limit have used: walks over the keys of every master in small steps.

#include "redis/pause.hpp"
#include "redis/servers/servers.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/redis/forgotten.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace headgate::redis {

/// Where walks wait for servers that do not answer now.
struct ForgetPauses {
  boost::asio::io_context::executor_type executor;
  Pauses waiting{};
  bool stopped = false;

  /// Ends all of them, now and later.
  void stop();
};

/// See SharedLimiter::forget. At least one step is taken also after `until`; and a server that does not answer now is
/// waited for, for five seconds of a call.
Task<Result<Forgotten>> forget_limit(std::shared_ptr<Servers> servers, std::shared_ptr<ForgetPauses> pauses,
                                     std::string prefix, std::string limit, std::string from,
                                     std::chrono::steady_clock::time_point until);

}  // namespace headgate::redis
