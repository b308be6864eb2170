#pragma once
// The path with another policy beside the live one.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/candidate.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway::test {

/// One route "/*" of the candidate, unless the test says otherwise.
class PathCandidate : public Path {
 protected:
  static constexpr std::string_view kFields = "Accept: text/plain\r\nCookie: a=b\r\n";
  static testing::Matcher<std::string> all_fields() {
    return testing::AllOf(testing::HasSubstr("Accept: text/plain\n"), testing::HasSubstr("Cookie: a=b\n"));
  }

  void add_to(Snapshot& first, Random& random, observe::Registry& registry) override {
    candidate_options.routes = {candidate_route};
    Snapshot parts;
    parts.compiled = std::make_shared<const CompiledConfig>(candidate_options, identity, candidate_limits,
                                                            headgate::test::upstreams({"app", "next"}), 1);
    identity::Credentials credentials{
        std::make_shared<const identity::ApiKeys>(identity.api_key.known),
        std::shared_ptr<const identity::JwtVerifier>(first.credentials->jwt(), [](const identity::JwtVerifier*) {}),
        {}};
    for (const auto& file : identity.user_files)
      credentials.user_lists.emplace_back(file, std::make_shared<const identity::Users>(users));
    credentials.prices = prices;
    parts.credentials = std::make_shared<const ActiveCredentials>(
        *parts.compiled, std::make_shared<const identity::Credentials>(std::move(credentials)));
    parts.redis = candidate_redis;
    state = std::make_shared<CandidateState>(1000);
    candidate = std::make_shared<Candidate>(clock, random, state, std::move(parts), first.compiled, registry, 0);
    first.candidate = candidate;
  }

  /// A limit of the candidate's route.
  limit::Limit& beside(std::string_view per, const std::string& name, std::string_view rate,
                       limit::Store store = limit::Store::memory) {
    auto& limit = candidate_limits.emplace_back();
    limit.name = name;
    limit.per = {headgate::test::make_per(per)};
    limit.store = store;
    auto& rule = limit.tiers.emplace_back().rules.emplace_back(headgate::test::make_rule(rate, 0, name));
    limit::name_rule(rule, false, limit::PeriodInKey::no);
    candidate_route.limits.emplace_back().limit = name;
    return limit;
  }
  /// Asks so many times, and returns the statuses.
  std::vector<unsigned> ask(int times, std::string_view fields = {}) {
    std::vector<unsigned> out;
    for (int i = 0; i < times; ++i) {
      if (i == 0 && gateway == nullptr)
        check("GET /a", fields);
      else
        ask_again("GET /a", fields);
      out.push_back(client.status);
    }
    return out;
  }
  std::string compared(std::string_view result) const {
    return metric("headgate_candidate_requests_total{result=\"" + std::string(result) + "\"}");
  }
  std::string of_limit(std::string_view limit, std::string_view result) const {
    return metric("headgate_candidate_limit_requests_total{limit=\"" + std::string(limit) + "\",tier=\"\",result=\"" +
                  std::string(result) + "\"}");
  }
  std::string undecided(std::string_view why) const {
    return metric("headgate_candidate_undecided_total{reason=\"" + std::string(why) + "\"}");
  }
  /// The permits that a limit of the candidate has left for the client's address.
  std::uint64_t left_beside(std::size_t limit = 0) {
    const auto look =
        headgate::test::make_check(candidate_limits.at(limit).tiers.front().rules.front(), "192.0.2.7", 0);
    limit::Decision decision;
    state->memory.decide({&look, 1}, clock.wall(), {&decision, 1});
    return decision.remaining;
  }

  PathOptions candidate_options;
  RouteOptions candidate_route = route;
  std::vector<limit::Limit> candidate_limits;
  Trace candidate_trace;
  std::shared_ptr<ScriptedRedis> other = std::make_shared<ScriptedRedis>(clock, candidate_trace);
  std::shared_ptr<limit::RemoteLimiter> candidate_redis = other;
  std::shared_ptr<CandidateState> state;
  std::shared_ptr<Candidate> candidate;
};

}  // namespace headgate::gateway::test
