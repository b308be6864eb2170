#include "headgate/redis/options.hpp"

namespace headgate::redis {

std::string name_of(const RedisNode& node) {
  const bool colons = node.host.find(':') != std::string::npos;
  return (colons ? "[" + node.host + "]" : node.host) + ":" + std::to_string(node.port);
}

}  // namespace headgate::redis
