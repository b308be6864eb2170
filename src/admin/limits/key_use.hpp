#pragma once
// Whether anybody uses a key of a limit: who names a key that nobody has mistypes it more often than not.

#include "key_reader.hpp"

#include "headgate/admin/endpoints.hpp"

#include <functional>
#include <memory>
#include <string>

namespace headgate::admin {

/// Any thread. What it looks into outlives it.
class KeyUse {
 public:
  KeyUse(const OperatorBoard& board, limit::MemoryStore& memory, const services::TopBoard& top, WithRedis with_redis)
      : board_(board), memory_(memory), top_(top), with_redis_(std::move(with_redis)) {}

  /// Tells, soon and on any thread, a warning for an operator who names `key` of the limit; "" if there is none: it has
  /// a counter, `top` can list it, the configuration has an API key of this name, or it is a block of addresses. Also
  /// if Redis, which has the counters, does not answer.
  using Tell = std::function<void(std::string warning)>;
  void ask(const std::string& limit, const std::string& key, Tell tell) const;

 private:
  const OperatorBoard& board_;
  limit::MemoryStore& memory_;
  const services::TopBoard& top_;
  const WithRedis with_redis_;
};

}  // namespace headgate::admin
