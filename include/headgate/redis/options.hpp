#pragma once
// What a configuration says of Redis.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace headgate::redis {

struct Options {
  std::string host = "127.0.0.1";  ///< name or address
  std::uint16_t port = 6379;
  std::uint32_t database = 0;
  std::string username;                              ///< ACL user; empty for the default user
  std::string password;                              ///< never logged
  std::string key_prefix = "hg:";                    ///< gateways with one prefix share their counters
  Duration timeout = std::chrono::milliseconds(20);  ///< no request waits longer than this for Redis
  std::uint32_t instances = 1;  ///< gateways that share the budget: each grants 1/instances while counting locally
  std::uint32_t max_in_flight = 1024;  ///< calls a worker may have under way; beyond it Redis counts as unavailable
};

}  // namespace headgate::redis
