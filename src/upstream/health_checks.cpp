#include "headgate/upstream/health_checks.hpp"

#include "headgate/net/descriptors.hpp"

#include <algorithm>
#include <utility>

namespace headgate::upstream {

using balance::Health;

/// A server and its checks. The checks use the same TLS context until the server's options or files have changed.
struct HealthChecks::Server {
  Server(HealthChecks& whose, HealthTarget of)
      : all(whose), target(std::move(of)), alarm(whose.clock_.alarm(&Server::due, this)) {}
  static void due(void* self) {
    auto& server = *static_cast<Server*>(self);
    server.all.due(server);
  }
  bool is(std::string_view upstream, std::string_view text) const noexcept {
    return target.upstream == upstream && target.server.text == text;
  }
  bool same_checks(const HealthTarget& other) const noexcept {
    const auto* const tls = target.tls.get();
    const bool same_tls =
        tls == other.tls.get() ||
        (tls != nullptr && other.tls && tls->options() == other.tls->options() && tls->same_files(*other.tls));
    return same_tls && target.options == other.options && target.server == other.server;
  }

  HealthChecks& all;
  HealthTarget target;
  Health health;
  std::unique_ptr<Alarm> alarm;
  Clock::Steady begun{};
  std::unique_ptr<HealthCheck> check;  // the check under way; otherwise null
  bool paused = false;
};

HealthChecks::HealthChecks(Clock& clock, BeginHealthCheck begin, Tell tell, std::uint64_t seed)
    : clock_(clock), begin_(std::move(begin)), tell_(std::move(tell)), random_(seed) {}

HealthChecks::~HealthChecks() = default;

void HealthChecks::use(std::vector<HealthTarget> targets) {
  auto before = std::exchange(servers_, {});
  std::vector<Server*> anew;
  for (auto& target : targets) {
    const auto named = [&](const auto& one) { return one && one->is(target.upstream, target.server.text); };
    // A server that an upstream lists twice is checked once.
    if (std::any_of(servers_.begin(), servers_.end(), named)) continue;
    const auto old = std::find_if(before.begin(), before.end(), named);
    if (old == before.end()) {
      anew.push_back(servers_.emplace_back(std::make_unique<Server>(*this, std::move(target))).get());
      continue;
    }
    auto& server = *servers_.emplace_back(std::move(*old));
    if (server.same_checks(target)) continue;
    forget(server);
    server.target = std::move(target);
    server.health.begin_anew();
    anew.push_back(&server);
  }
  for (std::size_t i = 0; i < anew.size(); ++i)
    anew[i]->alarm->set(balance::until_first_check(anew[i]->target.options.every, i, anew.size()));
  for (const auto& gone : before) {
    if (!gone) continue;
    forget(*gone);
    if (!gone->health.up()) tell_({.target = gone->target, .change = Health::Change::up, .why = {}});
  }
}

bool HealthChecks::up(std::string_view upstream, std::string_view server) const noexcept {
  return std::none_of(servers_.begin(), servers_.end(),
                      [&](const auto& one) { return one->is(upstream, server) && !one->health.up(); });
}

void HealthChecks::pause(std::string_view upstream, std::string_view server, bool paused) {
  for (const auto& one : servers_) {
    if (!one->is(upstream, server) || one->paused == paused) continue;
    one->paused = paused;
    if (paused)
      forget(*one);
    else
      one->alarm->set(Duration(0));
  }
}

void HealthChecks::stop() {
  waiting_.clear();
  servers_.clear();
  under_way_ = 0;
}

/// Ends the check under way, or the server's wait for a check.
void HealthChecks::forget(Server& server) {
  std::erase(waiting_, &server);
  if (!server.check) return;
  server.check.reset();
  --under_way_;
}

void HealthChecks::due(Server& server) {
  if (server.paused) return;
  if (under_way_ < kAtOnce)
    begin(server);
  else
    waiting_.push_back(&server);
}

void HealthChecks::begin(Server& server) {
  ++under_way_;
  server.begun = clock_.steady();
  server.check = begin_(server.target, [this, &server](const std::string& why) { ended(server, why); });
}

void HealthChecks::ended(Server& server, const std::string& why) {
  server.check.reset();
  --under_way_;
  const auto took = std::chrono::duration_cast<Duration>(clock_.steady() - server.begun);
  const auto pause = balance::until_next_check(server.target.options.every, random_()) - took;
  server.alarm->set(std::max(pause, Duration(0)));
  if (why.find(net::kOwnWant) != std::string::npos) return next();
  const auto& rule = server.target.options.rule;
  const bool first = !server.health.known();
  const bool was_up = server.health.up();
  const auto change = server.health.note(why.empty() ? Health::Result::passed : Health::Result::failed, rule);
  const auto enough = was_up ? rule.down_after : rule.up_after;
  tell_({.target = server.target,
         .passed = why.empty(),
         .up = server.health.up(),
         .change = change,
         .why = why,
         .checks = change == Health::Change::none ? server.health.against()
                   : first                        ? 1
                                                  : enough});
  next();
}

/// Begins the check that has waited longest, if there is room for it.
void HealthChecks::next() {
  if (waiting_.empty() || under_way_ >= kAtOnce) return;
  auto& server = *waiting_.front();
  waiting_.pop_front();
  begin(server);
}

}  // namespace headgate::upstream
