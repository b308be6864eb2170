// Whether a caller still has budget: the plan of the route asked, in memory and in Redis, all or nothing.

#include "limit_fields.hpp"
#include "subject.hpp"

#include "headgate/gateway/gateway.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using limit::Per;

/// A caller without the key that a limit counts by, where the limit says so.
Problem key_missing(const limit::Limit& limit) {
  for (const auto& per : limit.per) {
    if (per.kind == Per::Kind::jwt_claim)
      return {401, EndedBy::auth, "A bearer token is required here.", limit.name, 0, "Bearer"};
    if (per.kind == Per::Kind::api_key)
      return {401, EndedBy::auth, "An API key is required here.", limit.name, 0, "ApiKey"};
  }
  return {400, EndedBy::auth, "A header that requests are counted by is missing.", limit.name, 0, {}};
}

struct Subject {
  std::optional<std::string_view> text;  // nothing: the limit does not apply
  bool refused = false;
};

Subject subject_for(Exchange& x, const PlannedLimit& planned) {
  const auto api_key = planned.secret_key && planned.stage == Stage::redis ? ApiKeyAs::digest : ApiKeyAs::text;
  const auto& limit = *planned.limit;
  auto text = subject_of(x, limit.per, api_key);
  if (text || limit.if_absent.action == limit::IfAbsent::Action::skip) return {text};
  if (limit.if_absent.action == limit::IfAbsent::Action::use) {
    text = subject_of(x, limit.if_absent.use, api_key);
    // Marked by a byte that no field can hold, so that nobody spends another's budget with a key that looks like an
    // address.
    if (text) text = x.text.join({"\x01", *text});
  }
  return {text, !text};
}

/// The part of an admission's asks that one call decides.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::span<const limit::Ask> asks(const Admission& a) const { return {a.asks.data() + begin, end - begin}; }
  std::span<limit::Verdict> verdicts(Admission& a) const { return {a.verdicts.data() + begin, end - begin}; }
  bool empty() const noexcept { return begin == end; }
};

void append(Admission& a, Span& span, const PlannedLimit& planned, const std::vector<limit::Rule>& rules,
            std::string_view subject) {
  for (const auto& rule : rules) {
    if (span.end == Admission::kMost) return;  // the checker refuses such a configuration
    a.limits[span.end] = &planned;
    a.asks[span.end++] = {&rule, subject, keyed_hash(subject, rule.seed), planned.cost};
  }
}

/// Questions for every limit of this stage and mode; a problem where a caller without the key is to be refused.
std::optional<Problem> collect(Exchange& x, Stage stage, limit::Mode mode, Span& span) {
  for (const auto& planned : x.route->plan) {
    if (planned.stage != stage || planned.limit->mode != mode) continue;
    const auto subject = subject_for(x, planned);
    if (subject.refused && mode == limit::Mode::enforce) return key_missing(*planned.limit);
    if (subject.text) append(x.admission, span, planned, planned.limit->rules, *subject.text);
  }
  return {};
}

void bind(Admission& a, std::size_t index, Admission::Outcome outcome, Admission::Source source) {
  a.outcome = outcome;
  a.source = source;
  a.binding = a.limits[index];
  a.verdict = a.verdicts[index];
  a.key = a.asks[index].subject;
  const auto& rules = a.binding->limit->rules;
  const auto same = [&](const limit::Rule& rule) { return rule.seed == a.asks[index].rule->seed; };
  const auto at = std::find_if(rules.begin(), rules.end(), same) - rules.begin();
  a.rule_label = (*a.binding->labels)[static_cast<std::size_t>(at)];
}

/// Tells of the rule that binds among all asked so far; those before `span` were counted in memory.
void note(Admission& a, const Span& span, Admission::Outcome outcome, Admission::Source source) {
  const auto first = outcome == Admission::Outcome::rejected ? span.begin : 0;
  const auto* const verdict = limit::binding({a.verdicts.data() + first, span.end - first});
  const auto index = static_cast<std::size_t>(verdict - a.verdicts.data());
  bind(a, index, outcome, index >= span.begin ? source : Admission::Source::memory);
}

/// "The limit of 5/minute is used up. Try again in 12 seconds."
Problem rejection(Exchange& x, const Rejection& style) {
  const auto& a = x.admission;
  const auto wait = seconds_up(a.verdict.retry_after);
  const auto& rules = a.binding->limit->rules;
  const auto at =
      std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule_label(rule) == a.rule_label; });
  const auto& rule = at == rules.end() ? rules.front() : *at;
  const auto detail = x.text.join({"The limit of ", to_text(rule.rate), " is used up. Try again in ",
                                   x.text.number(wait), wait == 1 ? " second." : " seconds."});
  return {429, EndedBy::limit, detail, a.binding->limit->name, wait, {}, style.body};
}

}  // namespace

Gateway::Step Gateway::admit(Exchange& x, Stage stage) {
  auto& a = x.admission;
  Span span{a.taken, a.taken};
  if (auto problem = collect(x, stage, limit::Mode::enforce, span)) return problem;
  if (span.empty()) return {};
  if (!services_.memory.decide(span.asks(a), now(), span.verdicts(a))) {
    note(a, span, Admission::Outcome::rejected, Admission::Source::memory);
    return rejection(x, services_.site.options().rejection);
  }
  a.taken = span.end;
  note(a, span, Admission::Outcome::allowed, Admission::Source::memory);
  return {};
}

Task<Gateway::Step> Gateway::admit_in_redis(Exchange& x) {
  auto& a = x.admission;
  Span span{a.taken, a.taken};
  if (auto problem = collect(x, Stage::redis, limit::Mode::enforce, span)) co_return problem;
  if (span.empty()) co_return Step{};
  const auto agreed = co_await services_.redis->decide(span.asks(a), span.verdicts(a));
  if (agreed.has_error()) co_return admit_without_redis(x);
  if (!*agreed) {
    note(a, span, Admission::Outcome::rejected, Admission::Source::redis);
    co_return rejection(x, services_.site.options().rejection);
  }
  note(a, span, Admission::Outcome::allowed, Admission::Source::redis);
  co_return Step{};
}

Gateway::Step Gateway::admit_without_redis(Exchange& x) {
  auto& a = x.admission;
  Span local{a.taken, a.taken};
  for (const auto& planned : x.route->plan) {
    if (planned.stage != Stage::redis || planned.limit->mode != limit::Mode::enforce) continue;
    const auto subject = subject_for(x, planned);
    if (!subject.text) continue;
    switch (planned.limit->if_redis_down) {
      case limit::IfRedisDown::allow:
        break;
      case limit::IfRedisDown::reject:
        return Problem{503,
                       EndedBy::limit,
                       "Requests cannot be counted at the moment, and uncounted ones are not let through here.",
                       planned.limit->name,
                       1,
                       {}};
      case limit::IfRedisDown::count_locally:
        append(a, local, planned, *planned.local, *subject.text);
    }
  }
  if (local.empty()) return {};
  if (!services_.memory.decide(local.asks(a), now(), local.verdicts(a))) {
    note(a, local, Admission::Outcome::rejected, Admission::Source::fallback);
    return rejection(x, services_.site.options().rejection);
  }
  a.taken = local.end;
  note(a, local, Admission::Outcome::allowed, Admission::Source::fallback);
  return {};
}

// A limit on trial counts what the enforced ones let through, each for itself, and refuses nobody.
Task<void> Gateway::observe_limits(Exchange& x) {
  auto& a = x.admission;
  for (const auto& planned : x.route->plan) {
    if (planned.limit->mode != limit::Mode::observe) continue;
    const auto subject = subject_for(x, planned);
    if (!subject.text) continue;
    Span span{a.taken, a.taken};
    append(a, span, planned, planned.limit->rules, *subject.text);
    bool agreed = true;
    if (planned.stage != Stage::redis) {
      agreed = services_.memory.decide(span.asks(a), now(), span.verdicts(a));
    } else {
      const auto answer = co_await services_.redis->decide(span.asks(a), span.verdicts(a));
      agreed = answer.has_error() || *answer;
    }
    if (!agreed) a.would_reject = &planned;
  }
}

void Gateway::take_back(Exchange& x) {
  auto& a = x.admission;
  if (a.taken > 0) services_.memory.give_back({a.asks.data(), a.taken}, now());
  a.taken = 0;
  if (a.outcome == Admission::Outcome::allowed) a.binding = nullptr;  // its numbers are no longer true
}

}  // namespace headgate::gateway
