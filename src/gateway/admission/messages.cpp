#include "messages.hpp"

#include "gateway/limits/outage.hpp"
#include "gateway/path/path.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace headgate::gateway {

namespace {

/// Returns whether any Content-Type of the request begins with `beginning`. All of them are checked, because the server
/// may use a different one than the gateway does.
bool any_type(const http::RequestHead& request, std::string_view beginning) noexcept {
  return std::ranges::any_of(request.fields, [&](const http::Field& field) {
    return field.id == http::Known::content_type && http::same_word(field.value.substr(0, beginning.size()), beginning);
  });
}

/// Returns whether only known flag bits are set: compressed (all protocols), end of stream (Connect), trailers
/// (gRPC-Web).
bool is_known(char flags) noexcept { return (static_cast<unsigned char>(flags) & ~0x83U) == 0; }

}  // namespace

bool counts_messages(const Route& route) noexcept {
  return std::ranges::any_of(route.plan, [](const RouteLimit& each) { return each.limit->messages; });
}

std::uint32_t MessageCount::in(std::string_view bytes) noexcept {
  constexpr unsigned kPrefix = 5;
  std::uint32_t begun = 0;
  while (!bytes.empty() && !over_) {
    if (left_ > 0) {
      const auto skipped = std::min<std::uint64_t>(left_, bytes.size());
      left_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    if (prefix_ == 0 && flags_ == Flags::known && !is_known(bytes.front())) {
      over_ = true;
      break;
    }
    if (prefix_ > 0) length_ = length_ << 8 | static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (++prefix_ < kPrefix) continue;
    left_ = length_;
    length_ = 0;
    prefix_ = 0;
    ++begun;
  }
  return begun;
}

Messages::Messages(Path& path, Exchange& x)
    : path_(path),
      x_(x),
      count_(any_type(x.request, "application/grpc") ? MessageCount::Flags::any : MessageCount::Flags::known),
      text_(any_type(x.request, "application/grpc-web-text")) {}

std::uint32_t Messages::begun(std::string_view bytes) {
  if (text_) {
    decoded_.clear();
    text_ = decoder_.decode(bytes, decoded_);
  }
  const auto times = count_.in(text_ ? decoded_ : bytes);
  const bool first = sent_ == 0 && times > 0;
  sent_ += times;
  return first ? times - 1 : times;
}

// If more messages arrive at once than the limit ever allows, they are checked in parts. A rejection then states the
// wait for the next part; a check of all messages at once would state that no wait helps.
Task<MaybeProblem> Messages::take(std::uint32_t times) {
  while (times > 0) {
    const auto part = std::min(times, most_at_once());
    auto taking = take_at_once(part);
    auto problem = co_await taking;
    if (problem) co_return problem;
    times -= part;
  }
  co_return MaybeProblem{};
}

std::uint32_t Messages::most_at_once() const {
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const auto& a = x_.admission;
  for (const auto& checked : a.limits) {
    if (!checked.route_limit->limit->messages || checked.route_limit->limit->mode != limit::Mode::enforce) continue;
    for (std::size_t i = 0; i < checked.count; ++i) {
      most = std::min(most, a.checks[checked.first + i].rule->burst);
      if (checked.source == Source::redis) most = std::min(most, checked.tier->local->current().rules[i].burst);
    }
  }
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(most, 1));
}

Task<MaybeProblem> Messages::take_at_once(std::uint32_t times) {
  const auto now = path_.services.clock.wall();
  auto here = asked(Source::memory, times);
  if (!decide_here(here)) {
    auto telling = rejected(std::move(here), times, now);
    co_return co_await telling;
  }
  auto there = asked(Source::redis, times);
  if (!there.checks.empty()) {
    auto call = x_.snapshot->redis->decide(there.checks, there.decisions);
    const auto agreed = co_await call;
    bool passes = agreed.has_value() && *agreed;
    if (agreed.has_error()) {
      MaybeProblem problem;
      there = asked_here(times, problem);
      if (problem) {
        give_back(here);
        co_return problem;
      }
      passes = decide_here(there);
    }
    if (!passes) {
      give_back(here);
      auto telling = rejected(std::move(there), times, now);
      co_return co_await telling;
    }
  }
  taken(here, times, now);
  taken(there, times, now);
  co_return MaybeProblem{};
}

/// Returns the checks of the limits that count messages in this store. If a limit of Redis counted the beginning of the
/// call in memory, it counts in memory until the call ends.
Messages::StoreChecks Messages::asked(Source source, std::uint32_t times) const {
  StoreChecks out;
  const auto& a = x_.admission;
  for (const auto& checked : a.limits) {
    if (!checked.route_limit->limit->messages || (checked.source == Source::redis) != (source == Source::redis))
      continue;
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      out.checks.push_back(a.checks[i]);
      out.checks.back().cost = times;
      out.at.push_back(i);
    }
  }
  out.decisions.resize(out.checks.size());
  return out;
}

bool Messages::decide_here(StoreChecks& asked) {
  return asked.checks.empty() ||
         path_.services.memory.decide(asked.checks, path_.services.clock.wall(), asked.decisions);
}

/// Returns the checks to make in memory when Redis does not answer, as `if_redis_down` of each limit says. Sets
/// `problem` if a limit rejects the call in that case.
Messages::StoreChecks Messages::asked_here(std::uint32_t times, MaybeProblem& problem) const {
  StoreChecks local;
  local.local = true;
  const auto& a = x_.admission;
  for (const auto& checked : a.limits) {
    const auto& limit = *checked.route_limit->limit;
    if (!limit.messages || checked.source != Source::redis) continue;
    if (limit.if_redis_down == limit::IfRedisDown::reject && limit.mode == limit::Mode::enforce)
      problem = uncountable(limit);
    if (limit.if_redis_down != limit::IfRedisDown::count_locally) continue;
    for (std::size_t i = 0; i < checked.count; ++i) {
      auto check = a.checks[checked.first + i];
      check.rule = &checked.tier->local->current().rules[i];
      check.hash = keyed_hash(check.key, check.rule->seed);
      check.cost = times;
      local.checks.push_back(check);
      local.at.push_back(checked.first + i);
    }
  }
  local.decisions.resize(local.checks.size());
  return local;
}

void Messages::give_back(const StoreChecks& asked) {
  std::vector<limit::Check> taken;
  for (std::size_t k = 0; k < asked.checks.size(); ++k)
    if (asked.decisions[k].allowed) taken.push_back(asked.checks[k]);
  if (!taken.empty()) path_.services.memory.give_back(taken, path_.services.clock.wall());
}

/// Replaces the earlier decisions of the call with those in `asked`, and calls `each` for every limit that was checked.
template <class Each>
void Messages::conclude(const StoreChecks& asked, Instant now, Each each) {
  auto& a = x_.admission;
  for (std::size_t k = 0; k < asked.at.size(); ++k) a.decisions[asked.at[k]] = asked.decisions[k];
  for (auto& checked : a.limits) {
    const auto first = std::find(asked.at.begin(), asked.at.end(), checked.first);
    if (first == asked.at.end()) continue;
    const auto k = static_cast<std::size_t>(first - asked.at.begin());
    const auto decided = std::span(asked.decisions).subspan(k, checked.count);
    checked.asked_at_wall = now;
    each(checked, k, std::all_of(decided.begin(), decided.end(), [](const auto& one) { return one.allowed; }));
  }
}

void Messages::taken(const StoreChecks& asked, std::uint32_t times, Instant now) {
  conclude(asked, now, [&](CheckedLimit& checked, std::size_t first, bool allowed) {
    if (!allowed) {  // Only a limit in observe mode may lack permits here.
      checked.decision = LimitDecision::rejected;
      checked.refused += times;
      return;
    }
    checked.used += times;
    if (asked.local || checked.source == Source::fallback)
      for (std::size_t i = 0; i < checked.count; ++i) path_.outage->counted(x_, checked, i, asked.checks[first + i]);
  });
}

Task<MaybeProblem> Messages::rejected(StoreChecks asked, std::uint32_t times, Instant now) {
  auto& a = x_.admission;
  conclude(asked, now, [&](CheckedLimit& checked, std::size_t, bool allowed) {
    if (allowed) return;
    checked.decision = LimitDecision::rejected;
    checked.refused += times;
  });
  a.outcome = Admission::Outcome::rejected;
  a.late = true;
  if (!x_.reply->started()) {
    auto telling = peek_at_whole(std::move(asked));
    co_await telling;
  }
  a.bind(0);
  MaybeProblem problem;
  tell_rejection(path_, x_, problem);
  const auto& decision = a.decision();
  if (decision.retry_after >= limit::kNever)
    problem->detail = x_.text.join({"This call has sent ", x_.text.number(sent_), " messages, and at most ",
                                    x_.text.number(decision.limit), " are ever allowed at once here; ",
                                    x_.text.number(decision.remaining), " are left."});
  co_return problem;
}

/// Finds the wait until all messages of the call so far are allowed at once, because the client will repeat the call
/// from its beginning. Takes no permits. `rejecting` has the checks that rejected the call.
Task<void> Messages::peek_at_whole(StoreChecks rejecting) {
  const auto look = [this](StoreChecks& whole) {
    for (auto& check : whole.checks) {
      check.cost = static_cast<std::int64_t>(std::min(sent_, kMaxRequests));
      check.peek = true;
    }
  };
  const auto tell = [this](const StoreChecks& whole) {
    for (std::size_t k = 0; k < whole.at.size(); ++k)
      if (whole.checks[k].how != limit::How::observe) x_.admission.decisions[whole.at[k]] = whole.decisions[k];
  };
  const bool local = rejecting.local;
  auto here = local ? std::move(rejecting) : asked(Source::memory, 1);
  look(here);
  decide_here(here);
  tell(here);
  auto there = asked(Source::redis, 1);
  if (local || there.checks.empty()) co_return;
  look(there);
  auto call = x_.snapshot->redis->decide(there.checks, there.decisions);
  const auto agreed = co_await call;
  if (agreed.has_value()) tell(there);
}

}  // namespace headgate::gateway
