#pragma once
// The commands that a connection sends before its first call, and the check whether their answers make the connection
// usable. No I/O. Used by connection.

#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::redis {

/// The handshake: AUTH, SELECT, ROLE, SCRIPT LOAD, whichever are needed, in one write. One object per connection
/// attempt.
class Handshake {
 public:
  enum class Step { more, done, failed };

  /// Appends the commands to `out`. `options` must outlive this object.
  Handshake(const RedisOptions& options, std::string_view script, std::string_view script_sha, std::string& out);

  /// Takes the next answer. Do not call it again after done or failed.
  [[nodiscard]] Step take(const Reply& reply);

  /// Returns why the handshake failed: one line for the log, which never contains the password.
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
