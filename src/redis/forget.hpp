#pragma once
// Forgets what all keys of a limit have used: walks over the keys of every master in small steps.

#include "servers.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/redis/forgotten.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace headgate::redis {

/// See Limiter::forget. At least one step is taken also after `until`.
Task<Result<Forgotten>> forget_limit(std::shared_ptr<Servers> servers, std::string prefix, std::string limit,
                                     std::string from, std::chrono::steady_clock::time_point until);

}  // namespace headgate::redis
