#pragma once
// The arguments that a call sends to a server, and the parser of its reply. Nearly all calls are decisions.

#include "headgate/core/result.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/reply.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// A Lua script of the gateway. Static storage.
struct Script {
  std::string_view text;
  std::string_view sha;  ///< SHA-1 of `text` in lower-case hex
};

/// A call of a script. The object must outlive the call. Worker thread only.
class ScriptQuestion {
 public:
  explicit ScriptQuestion(const Script& script) noexcept : script_(script) {}
  virtual ~ScriptQuestion() = default;
  ScriptQuestion& operator=(const ScriptQuestion&) = delete;

  const Script& script() const noexcept { return script_; }

  /// Writes the words after the script's name: the number of keys, the keys, the script's arguments. Replaces the old
  /// content of `out` and reuses its memory. Runs once for each time the call is sent.
  virtual void write(std::vector<std::string>& out) const = 0;
  /// Reads a reply that is not an error. Returns Errc::bad_reply if the script cannot have sent it.
  virtual Result<bool> read(const Reply& reply) = 0;
  /// Called if the call failed for a reason other than the state of the server or its place in the topology, such as a
  /// missing right, an error of the script, or an invalid reply. Returns true if the owner of the question handles the
  /// failure; the server then counts as healthy, and its log has no line about the failure. Returns false if the server
  /// is to blame.
  virtual bool heard(std::string_view trouble) {
    static_cast<void>(trouble);
    return false;
  }

 protected:
  ScriptQuestion(const ScriptQuestion&) = default;

 private:
  const Script& script_;
};

/// A decision on `checks` with the single script of all algorithms. The result says whether all are allowed.
class DecisionQuestion final : public ScriptQuestion {
 public:
  /// All arguments must outlive this object.
  DecisionQuestion(std::span<const limit::Check> checks, std::span<limit::Decision> decisions,
                   std::string_view prefix) noexcept;

  void write(std::vector<std::string>& out) const override;
  Result<bool> read(const Reply& reply) override;

 private:
  std::span<const limit::Check> checks_;
  std::span<limit::Decision> decisions_;
  std::string_view prefix_;
};

/// Returns the script of decisions. Each connection loads it first, because probes are decisions too.
const Script& decide_script() noexcept;

}  // namespace headgate::redis
