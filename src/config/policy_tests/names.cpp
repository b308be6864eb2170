// Checks the names that policy tests use against their configuration.

#include "config/text/codes.hpp"
#include "config/text/report.hpp"

#include "headgate/config/config.hpp"
#include "headgate/config/policy_tests.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/compiled_config.hpp"

#include <algorithm>
#include <set>

namespace headgate::config {
namespace {

Diagnostic mistake_at(const TestPlace& place, std::string_view code, std::string message, std::string help) {
  Diagnostic out;
  out.code = code;
  out.line = place.line;
  out.column = place.column;
  out.end_column = place.end_column;
  out.pointer = place.pointer;
  out.message = std::move(message);
  out.help = std::move(help);
  return out;
}

using NameSet = std::set<std::string, std::less<>>;

/// The names that steps may use.
class TestNames {
 public:
  TestNames(const Config& config, std::span<const identity::ApiKeyRecord> keys) : config_(config) {
    for (const auto& each : config.limits) limits_.insert(each.name);
    for (const auto& each : config.upstreams) upstreams_.insert(each.name);
    for (const auto& each : config.gateway.routes) routes_.insert(each.name);
    for (const auto& each : keys) owners_.insert(each.owner);
  }

  void step(const TestStep& step) {
    if (std::holds_alternative<RedisStep>(step.what) && !config_.redis)
      add(step.place, code::kNoEffect, "this configuration counts nothing in Redis", "leave the step out");
    if (const auto* const send = std::get_if<SendStep>(&step.what)) this->send(*send, step.place);
  }
  std::vector<Diagnostic> take() { return std::move(found_); }

 private:
  static constexpr std::size_t kMaxFound = 100;

  bool decides() const {
    return std::ranges::any_of(config_.gateway.routes, [](const auto& route) { return route.descriptor.has_value(); });
  }

  void send(const SendStep& step, const TestPlace& place) {
    if (step.call && !decides())
      add(place, code::kNoEffect, "this configuration decides about no descriptors",
          "add \"decide\" to the configuration, or send a request with \"send\"");
    if (!step.claims.empty() && !config_.identity.jwt)
      add(place, code::kConflict, "it has claims, and this configuration verifies no token",
          "add \"identity\": { \"jwt\": … } to the configuration, or leave \"claims\" out");
    if (step.api_key_owner) owner(*step.api_key_owner);
    if (step.user && config_.identity.user_files.empty())
      add(step.user->place, code::kConflict, "it has a user, and no route of this configuration asks for a password",
          "add \"basic\": \"users.htpasswd\" to a route, or leave \"user\" out");
    const auto& expect = step.expect;
    if (expect.limit && !is_built_in(expect.limit->value)) known(*expect.limit, limits_, "limit");
    if (expect.route) known(*expect.route, routes_, "route");
    if (expect.upstream) known(*expect.upstream, upstreams_, "upstream");
  }

  static bool is_built_in(std::string_view name) noexcept {
    return name == gateway::kFailureLimit || name == gateway::kPreflightLimit || name == gateway::kUsageLimit;
  }

  void owner(const ValueWithPlace<std::string>& named) {
    if (owners_.empty())
      return add(named.place, code::kUnresolved, "this configuration knows no API keys, so every text is a key",
                 "send one: \"headers\": { \"X-API-Key\": \"anything\" }");
    known(named, owners_, "owner of an API key");
  }

  void known(const ValueWithPlace<std::string>& named, const NameSet& names, std::string_view what) {
    if (names.contains(named.value)) return;
    const auto near = nearest(named.value, names);
    constexpr std::size_t kShort = 20;
    add(named.place, code::kUnresolved, "there is no " + std::string(what) + ' ' + in_quotes(named.value),
        !near.empty()            ? "did you mean " + in_quotes(near) + "?"
        : names.size() <= kShort ? "there are: " + joined(names, ", ")
                                 : std::string());
  }

  void add(const TestPlace& place, std::string_view code, std::string message, std::string help) {
    if (found_.size() < kMaxFound) found_.push_back(mistake_at(place, code, std::move(message), std::move(help)));
  }

  const Config& config_;
  NameSet limits_;
  NameSet upstreams_;
  NameSet routes_;
  NameSet owners_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> check_names(const PolicyTests& tests, const Config& config,
                                    std::span<const identity::ApiKeyRecord> keys) {
  TestNames names(config, keys);
  for (const auto& test : tests.tests)
    for (const auto& step : test.steps) names.step(step);
  return names.take();
}

Diagnostic wrong_config(const PolicyTests& tests, std::string why) {
  return mistake_at(tests.config.place, code::kUnresolved, std::move(why), "name the configuration that is tested");
}

}  // namespace headgate::config
