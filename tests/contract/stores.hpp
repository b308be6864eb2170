#pragma once
// The two stores behind one interface, on the test's clock. Every contract test uses it.

#include "redis_client.hpp"
#include "support/redis_server.hpp"

#include "headgate/limit/memory_store.hpp"
#include "headgate/limit/script.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace headgate::test {

/// A store as a contract test sees it.
class ContractStore {
 public:
  virtual ~ContractStore() = default;
  virtual bool decide(std::span<const limit::Check> checks, Instant now, std::span<limit::Decision> decisions) = 0;
};

class InMemory : public ContractStore {
 public:
  bool decide(std::span<const limit::Check> checks, Instant now, std::span<limit::Decision> decisions) override {
    return store_.decide(checks, now, decisions);
  }

 private:
  limit::MemoryStore store_{{.max_keys = 10'000}};
};

/// The shipped script in a real Redis with another clock: one line is replaced, so that TIME is the last two arguments
/// of the call, and nothing expires by the real clock.
class InRedis : public ContractStore {
 public:
  explicit InRedis(std::uint16_t port, std::string_view script = limit::decide_script())
      : client_(port), script_(script) {
    const std::string line =
        "local call, pcall, format, match = redis.call, redis.pcall, string.format, string.match\n";
    const auto at = script_.find(line);
    if (at == std::string::npos || script_.find(line, at + 1) != std::string::npos || count("call('TIME')") != 1)
      throw std::logic_error("the script no longer has the one line that names redis.call");
    script_.replace(at, line.size(), R"(
local pcall, format, match = redis.pcall, string.format, string.match
local call = function(command, ...)
  if command == 'TIME' then return {ARGV[#ARGV - 1], ARGV[#ARGV]} end
  if command == 'SET' then local key, value = ... return redis.call('SET', key, value) end
  if command:find('EXPIRE', 1, true) then return 1 end
  return redis.call(command, ...)
end
)");
    const std::string sha = client_.text({"SCRIPT", "LOAD", script_});
    if (sha.size() != 40) throw std::logic_error("SCRIPT LOAD: " + sha);
    sha_ = sha;
  }

  bool decide(std::span<const limit::Check> checks, Instant now, std::span<limit::Decision> decisions) override {
    limit::script_arguments(checks, "hg:", now, arguments_);
    bool all_allowed = false;
    const auto reply = call(arguments_, now);
    if (reply && !limit::read_script_reply(*reply, checks, decisions, all_allowed))
      ADD_FAILURE() << "the reply has not the promised shape: " << testing::PrintToString(*reply);
    return all_allowed;
  }

  /// Returns the script's reply to `arguments`.
  std::optional<std::vector<std::int64_t>> call(const std::vector<std::string>& arguments, Instant now) {
    words_ = {"EVALSHA", sha_};
    words_.insert(words_.end(), arguments.begin(), arguments.end());
    const auto microseconds = now.time_since_epoch().count();
    words_.push_back(std::to_string(microseconds / 1'000'000));
    words_.push_back(std::to_string(microseconds % 1'000'000));
    std::string error;
    auto reply = client_.integers(words_, error);
    if (!reply) ADD_FAILURE() << error;
    return reply;
  }

  RedisClient& client() { return client_; }

 private:
  std::size_t count(std::string_view text) const {
    std::size_t found = 0;
    for (auto at = script_.find(text); at != std::string::npos; at = script_.find(text, at + 1)) ++found;
    return found;
  }

  RedisClient client_;
  std::string script_;
  std::string sha_;
  std::vector<std::string> arguments_;
  std::vector<std::string> words_;
};

/// Returns a Redis for the whole test program, which is started at its first use and emptied for each test. Null if
/// none can be started; `why` then has the reason.
inline RedisServer* shared_redis(std::string& why) {
  static RedisServer server;
  static const bool runs = server.start();
  if (!runs) {
    why = server.error();
    return nullptr;
  }
  RedisClient(server.port()).command({"FLUSHALL"});
  return &server;
}

/// Returns the memory store, or the shipped script in the Redis that tests share. Null if there is no Redis; `why` then
/// says so.
inline std::unique_ptr<ContractStore> contract_store(bool in_redis, std::string& why) {
  if (!in_redis) return std::make_unique<InMemory>();
  const auto* const server = shared_redis(why);
  return server == nullptr ? nullptr : std::make_unique<InRedis>(server->port());
}

}  // namespace headgate::test
