#pragma once
// Checks whether a key of a limit is in use, because a key that nobody uses is mostly a typing error.

#include "key_reader.hpp"

#include "headgate/admin/endpoints.hpp"

#include <functional>
#include <memory>
#include <string>

namespace headgate::admin {

/// Warns operators of keys that nobody uses. Any thread. The constructor's arguments must outlive this object.
class KeyUse {
 public:
  KeyUse(const OperatorBoard& board, limit::MemoryStore& memory, const services::TopBoard& top, WithRedis with_redis)
      : board_(board), memory_(memory), top_(top), with_redis_(std::move(with_redis)) {}

  /// Receives the warning for an operator who names `key` of the limit; called soon, on any thread. The warning is ""
  /// in these cases:
  /// - the key has a counter, or `top` can list it;
  /// - the configuration has an API key of this name;
  /// - the key is a block of addresses;
  /// - the limit bounds requests in flight;
  /// - Redis has the counters, and does not answer.
  using Tell = std::function<void(std::string warning)>;
  void ask(const std::string& limit, const std::string& key, Tell tell) const;

 private:
  const OperatorBoard& board_;
  limit::MemoryStore& memory_;
  const services::TopBoard& top_;
  const WithRedis with_redis_;
};

}  // namespace headgate::admin
