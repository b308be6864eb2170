#pragma once
// What a connection says before its first call, and whether the answers make it usable. No I/O.

#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::redis {

/// AUTH, SELECT, ROLE, SCRIPT LOAD, whichever are needed, in one write. One per connection attempt.
class Handshake {
 public:
  enum class Step { more, done, failed };

  /// Appends the commands to `out`. `options` must outlive this object.
  Handshake(const RedisOptions& options, std::string_view script, std::string_view script_sha, std::string& out);

  /// Takes the next answer. After done or failed there must be no other.
  [[nodiscard]] Step take(const Reply& reply);

  /// Why it failed: one line for the log, never with the password in it.
  const std::string& reason() const noexcept { return reason_; }

 private:
  enum class Check { auth, select, role, load };

  bool took(Check check, const Reply& reply);
  bool took_auth(const Reply& reply);
  bool took_role(const Reply& reply);
  bool fail(std::string reason);

  const RedisOptions& options_;
  std::string_view script_sha_;
  std::array<Check, 4> checks_{};
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::string reason_;
};

}  // namespace headgate::redis
