// What one decision costs a Redis, and what a key takes there.
#include "limiter_rows.hpp"
#include "process.hpp"
#include "support/rules.hpp"

#include "headgate/limit/script.hpp"

#include <hiredis/hiredis.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>

namespace headgate::bench {
namespace {

using limit::Check;
using limit::Rule;

struct Free {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Context = std::unique_ptr<redisContext, Free>;
using Reply = std::unique_ptr<redisReply, Free>;

Context connect(const test::RedisServer& redis) {
  Context context(redisConnect("127.0.0.1", redis.port()));
  if (context == nullptr || context->err != 0) throw std::runtime_error("no connection to Redis");
  return context;
}

Reply next_reply(redisContext& context) {
  void* reply = nullptr;
  if (redisGetReply(&context, &reply) != REDIS_OK) throw std::runtime_error("the connection to Redis broke");
  Reply owned(static_cast<redisReply*>(reply));
  if (owned->type == REDIS_REPLY_ERROR) throw std::runtime_error(owned->str);
  return owned;
}

std::string formatted(const std::vector<std::string>& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return out;
}

Reply command(redisContext& context, const std::vector<std::string>& words) {
  const std::string text = formatted(words);
  redisAppendFormattedCommand(&context, text.data(), text.size());
  return next_reply(context);
}

std::vector<std::string> evalsha(std::span<const Check> checks) {
  std::vector<std::string> arguments;
  limit::script_arguments(checks, "hg:", now(), arguments);
  std::vector<std::string> words{"EVALSHA", std::string(limit::decide_script_sha())};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

/// Time its main thread spent on a CPU.
double redis_cpu(const test::RedisServer& redis) {
  const std::string pid = std::to_string(redis.pid());
  std::int64_t nanoseconds = 0;
  std::ifstream("/proc/" + pid + "/task/" + pid + "/schedstat") >> nanoseconds;
  return static_cast<double>(nanoseconds) * 1e-9;
}

std::vector<Rule> rules_of(std::size_t count, const std::string& algorithm) {
  std::vector<Rule> rules;
  rules.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    rules.push_back(test::make_rule("10000/minute", 0, "limit" + std::to_string(i), algorithm));
  return rules;
}

/// CPU seconds of Redis a decision of `rules`, of 10,000 callers in random order, 64 calls under way.
double cost_of(const test::RedisServer& redis, redisContext& context, const std::vector<Rule>& rules) {
  constexpr std::size_t kCallers = 10'000;
  constexpr std::size_t kDecisions = 64 * 800;
  std::vector<std::string> calls;
  calls.reserve(kCallers);
  Subject key;
  for (std::size_t caller = 0; caller < kCallers; ++caller) {
    std::vector<Check> checks;
    checks.reserve(rules.size());
    const std::string name(key(caller));
    for (const Rule& rule : rules) checks.push_back(test::make_check(rule, name));
    calls.push_back(formatted(evalsha(checks)));
  }
  std::mt19937 random(1);
  const double before = redis_cpu(redis);
  for (std::size_t done = 0; done < kDecisions; done += 64) {
    for (int i = 0; i < 64; ++i) {
      const std::string& call = calls[random() % kCallers];
      redisAppendFormattedCommand(&context, call.data(), call.size());
    }
    for (int i = 0; i < 64; ++i) next_reply(context);
  }
  return (redis_cpu(redis) - before) / kDecisions;
}

/// What a key of `algorithm` takes in Redis after `requests` of it: MEMORY USAGE with all elements counted.
std::int64_t redis_bytes(redisContext& context, const std::string& algorithm, int requests) {
  command(context, {"FLUSHALL"});
  const Rule rule = test::make_rule("100/hour", 0, "per-user", algorithm);
  const Check check = test::make_check(rule, "user-0001");
  const auto words = evalsha({&check, 1});
  for (int i = 0; i < requests; ++i) command(context, words);
  return command(context, {"MEMORY", "USAGE", words[3], "SAMPLES", "0"})->integer;
}

/// The same in memory: a slot's share of the table (see MemoryOptions), and the log where there is one.
std::int64_t memory_bytes(const std::string& algorithm, int requests) {
  constexpr std::int64_t kTable = 80;
  const Rule rule = test::make_rule("100/hour", 0, "per-user", algorithm);
  limit::State state;
  for (int i = 0; i < requests; ++i) {
    const Instant now = test::kStart + std::chrono::milliseconds(i);
    rule.algorithm->commit(state, rule, 1, limit::CommitMode::take, now, rule.algorithm->peek(state, rule, 1, now));
  }
  if (state.log == nullptr) return kTable;
  return kTable + static_cast<std::int64_t>(sizeof *state.log + state.log->capacity() * sizeof(std::int64_t));
}

}  // namespace

Rows strict_rows(test::RedisServer& redis, const LimiterPlan& plan) {
  const Context context = connect(redis);
  command(*context, {"SCRIPT", "LOAD", std::string(limit::decide_script())});
  struct Load {
    std::string algorithm;
    std::size_t rules;
    double target;
  };
  std::vector<Load> loads{{"token_bucket", 1, 150e3}, {"token_bucket", 4, 60e3}};
  for (const limit::Algorithm* algorithm : limit::algorithms())
    if (algorithm->name != "token_bucket") loads.push_back({std::string(algorithm->name), 1, 0});
  Rows rows;
  for (const Load& load : loads) {
    std::vector<double> costs;
    for (int i = 0; i < plan.repeats; ++i) {
      command(*context, {"FLUSHALL"});
      costs.push_back(cost_of(redis, *context, rules_of(load.rules, load.algorithm)));
    }
    const double cost = median(costs);
    rows.push_back({.what = "strict, " + load.algorithm + ", " + std::to_string(load.rules) +
                            (load.rules == 1 ? " rule" : " rules") + ", one Redis core",
                    .target = load.target > 0 ? ">= " + number(load.target / 1e3, 0) + " k/s" : "",
                    .result = number(1e-3 / cost, 0) + " k/s (" + number(cost * 1e6, 1) + " µs of Redis' CPU each)",
                    .reached = load.target > 0 ? std::optional(1 / cost >= load.target) : std::nullopt});
  }
  return rows;
}

std::string bytes_table(test::RedisServer& redis) {
  const Context context = connect(redis);
  command(*context, {"SCRIPT", "LOAD", std::string(limit::decide_script())});
  std::string table =
      "| algorithm | in memory, 1 request | in memory, 100 requests | in Redis, 1 request | in Redis, 100 requests |\n"
      "|---|---|---|---|---|\n";
  for (const limit::Algorithm* algorithm : limit::algorithms()) {
    const std::string name(algorithm->name);
    table += "| `" + name + "`";
    for (const int requests : {1, 100}) table += " | " + std::to_string(memory_bytes(name, requests));
    for (const int requests : {1, 100}) table += " | " + std::to_string(redis_bytes(*context, name, requests));
    table += " |\n";
  }
  return table;
}

}  // namespace headgate::bench
