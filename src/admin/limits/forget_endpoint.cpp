#include "admin/endpoint_groups.hpp"
#include "limit_keys.hpp"

#include "headgate/core/task.hpp"
#include "headgate/redis/errors.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::admin {
namespace {

constexpr int kMaxWalks = 2;  ///< Maximum number of walks through Redis in progress.
/// Time after which an answer is given, and the caller must call again for the rest. If the caller leaves, the walk
/// through Redis ends; if the caller stays, it sees the progress.
constexpr auto kPart = std::chrono::seconds(1);
constexpr const char* kKeysAll = "keys=all";

AdminAnswer answer_of(const std::string& limit, const redis::ForgetResult& part) {
  nlohmann::ordered_json out = {
      {"limit", limit}, {"store", "redis"}, {"keys", part.keys}, {"looked_at", part.looked_at}, {"of", part.there}};
  if (!part.more.empty()) out["more"] = part.more;
  if (!part.not_done.empty()) {
    auto& all = out["not_done"] = nlohmann::ordered_json::array();
    for (const auto& each : part.not_done) all.push_back({{"server", each.server}, {"why", each.why}});
  }
  return {.body = services::text_of(out), .type = AdminAnswer::kJson, .target = kKeysAll};
}

Task<void> forget_there(std::shared_ptr<redis::SharedLimiter> redis, std::string limit, std::string after,
                        AdminEndpoint::Give give, std::shared_ptr<void> under_way) {
  auto walking = redis->forget(limit, after, kPart);
  const auto part = co_await walking;
  under_way.reset();
  if (part.has_error()) {
    const bool wrong = part.error() == redis::Errc::bad_reply;
    co_return give({.status = wrong ? 400U : 503U,
                    .body = wrong ? "The parameter \"after\" takes what an earlier answer has as \"more\"."
                                  : "Redis does not answer."});
  }
  const bool nothing = part->looked_at == 0 && part->keys == 0 && part->more.empty() && after.empty();
  if (nothing && !part->not_done.empty()) {
    const auto& first = part->not_done.front();
    co_return give(
        {.status = 503,
         .body = "It is not known whether anything was reset: Redis " + first.server + ": " + first.why + '.'});
  }
  give(answer_of(limit, *part));
}

/// Returns the answer if no walk through Redis is needed. Otherwise returns nothing and sets `limit` to the name to
/// walk for.
std::optional<AdminAnswer> answer_here(const OperatorBoard& board, limit::MemoryStore& memory, std::string_view wanted,
                                       std::string& limit) {
  const auto active = board.now().active;
  const auto* const ready = compiled_limit(*active->compiled, wanted);
  if (ready == nullptr) return no_such_limit(*active->config);
  if (ready->in_flight)
    return AdminAnswer{
        .status = 409,
        .body = "This limit counts requests in flight: each request gives its permit back when it ends."};
  if (is_a_balance(ready->limit)) return no_reset_of_balance();
  limit = ready->limit.name;
  if (ready->limit.store == limit::Store::redis) return std::nullopt;
  const nlohmann::ordered_json out = {{"limit", limit}, {"store", "memory"}, {"keys", memory.forget(limit)}};
  return AdminAnswer{.body = services::text_of(out), .type = AdminAnswer::kJson, .target = kKeysAll};
}

}  // namespace

AdminEndpoint forget_endpoint(const OperatorBoard& board, limit::MemoryStore& memory, WithRedis with_redis) {
  const auto under_way = std::make_shared<std::atomic<int>>(0);
  const auto answer = [&board, &memory, under_way, with_redis = std::move(with_redis)](
                          const AdminCall& call, const AdminEndpoint::Give& give) {
    std::string limit;
    if (auto here = answer_here(board, memory, call.parameter("name"), limit)) return give(std::move(*here));
    if (under_way->fetch_add(1) >= kMaxWalks) {
      under_way->fetch_sub(1);
      return give({.status = 503, .body = "Other calls are resetting all keys of limits: try again soon."});
    }
    std::shared_ptr<void> counted(nullptr, [under_way](void*) { under_way->fetch_sub(1); });
    with_redis(
        [limit, after = call.asked("after").value_or(""), give, counted](std::shared_ptr<redis::SharedLimiter> redis) {
          if (redis) spawn(forget_there(std::move(redis), limit, after, give, counted), "forget");
        });
  };
  return {.method = "DELETE",
          .path = "/api/v1/limits/{name}/keys",
          .answer_later = answer,
          .about = {.summary = "Forget what all keys of a limit have used",
                    .answer = "Forgotten",
                    .query = {{"after", "of a limit in Redis: \"more\" of the answer before, to go on", false}}}};
}

}  // namespace headgate::admin
