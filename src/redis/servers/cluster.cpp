#include "cluster.hpp"

#include "headgate/observe/event.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kCalm = 10s;      // interval between two reads of the slot map while there is no trouble
constexpr auto kTryAgain = 5ms;  // pause before the next try while a slot moves
// pause before the second attempt to give permits back; a failover or a restart may end during the pause
constexpr auto kPayAgain = 300ms;

bool same_key(std::span<const limit::Check> checks) {
  return std::all_of(checks.begin() + 1, checks.end(), [&](const auto& check) { return check.key == checks[0].key; });
}

Result<bool> failed(error_code why) { return Result<bool>(boost::system::in_place_error, why); }

}  // namespace

Cluster::Cluster(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup)
    : loop_(loop),
      setup_(std::move(setup)),
      discovery_(std::make_shared<Discovery>(loop, setup_,
                                             Discovery::Question{.words = {"CLUSTER", "SLOTS"},
                                                                 .username = setup_->options.username,
                                                                 .password = setup_->options.password,
                                                                 .calm = kCalm},
                                             "cluster")) {
  owner_of_.fill(kNobody);
}

void Cluster::start() { discovery_->start(setup_->options.nodes, shared_from_this()); }

void Cluster::stop() {
  if (std::exchange(stopped_, true)) return;
  const auto self = shared_from_this();
  health_.store(RedisHealth::down, std::memory_order_relaxed);
  discovery_->stop();
  const auto members = std::exchange(members_, {});
  owner_of_.fill(kNobody);
  for (const auto& member : members) member.node_client->stop();
  wake();
}

Task<Result<bool>> Cluster::decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) {
  const auto self = shared_from_this();  // the caller may drop all its references meanwhile
  const auto deadline = SteadyClock::now() + setup_->options.timeout;
  if (no_map_yet()) {
    auto map = first_map(deadline);
    if (const auto none = co_await map) co_return failed(none);
  }
  if (same_key(checks)) {
    DecisionQuestion question(checks, decisions, setup_->options.key_prefix);
    auto call = call_owner(slot_of(checks[0]), question, deadline);
    co_return (co_await call).result;
  }
  boost::container::static_vector<std::uint16_t, limit::kMaxRulesPerRequest> slots;
  for (const auto& one : checks) slots.push_back(slot_of(one));
  auto calls = gather(checks, decisions, {slots.data(), slots.size()}, deadline);
  co_return co_await calls;
}

Task<Result<bool>> Cluster::ask(ScriptQuestion& question, std::string_view key) {
  const auto self = shared_from_this();
  const auto deadline = SteadyClock::now() + setup_->options.timeout;
  const auto slot = redis::slot_of(key);
  if (no_map_yet()) {
    auto map = first_map(deadline);
    if (const auto none = co_await map) co_return failed(none);
  }
  auto call = call_owner(slot, question, deadline);
  co_return (co_await call).result;
}

Task<error_code> Cluster::first_map(Time deadline) {
  auto waits = pause(deadline);
  co_await waits;
  co_return no_map_yet() ? make_error_code(Errc::timed_out) : error_code();
}

/// Decides one slot after another. If a later slot rejects or fails, gives back the permits that the earlier slots
/// took.
Task<Result<bool>> Cluster::gather(std::span<const limit::Check> checks, std::span<limit::Decision> decisions,
                                   std::span<const std::uint16_t> slots, Time deadline) {
  Scatter scatter(checks, slots);
  Result<bool> result = true;
  std::size_t agreed = 0;
  for (const auto& group : scatter.groups()) {
    DecisionQuestion question(scatter.checks(group), scatter.decisions(group), setup_->options.key_prefix);
    auto call = call_owner(group.slot, question, deadline);
    result = (co_await call).result;
    if (result.has_value()) scatter.tell(group, decisions);
    if (result.has_error() || !*result) break;
    ++agreed;
  }
  if (agreed == scatter.groups().size()) co_return result;
  for (const auto& group : scatter.groups().first(agreed)) {
    auto taken = scatter.take_back(group, result.has_value() ? Scatter::Why::rejected : Scatter::Why::failed);
    if (!limit::is_peek(checks)) give_back(std::move(taken));
    scatter.tell(group, decisions);
  }
  co_return result;
}

Task<Cluster::Outcome> Cluster::call_owner(std::uint16_t slot, ScriptQuestion& question, Time deadline) {
  ClusterHop route{.deadline = deadline, .asking = false, .redirect = {}};
  bool moved = false;
  bool asking = false;
  bool again = false;
  std::shared_ptr<NodeClient> node_client;
  RedisNode asked;
  for (;;) {
    if (stopped_) co_return Outcome{failed(Errc::stopped)};
    if (!node_client) {
      const std::uint16_t owner = owner_of_[slot];
      if (owner == kNobody) co_return Outcome{failed(Errc::unavailable)};
      node_client = members_[owner].node_client;
      asked = members_[owner].node;
    }
    auto pass = full() ? Result<Breaker::Pass>(Errc::overloaded) : node_client->admit();
    if (pass.has_value() && *pass == Breaker::Pass::wait) {
      auto later = NodeClient::admit_later(node_client, deadline);
      pass = co_await later;
    }
    if (!pass) co_return Outcome{failed(pass.error())};
    route.redirect.reset();
    Result<bool> result = false;
    {
      Call call(*node_client, question, route);
      result = co_await call;
    }
    const bool refused = result.has_error() && result.error() == Errc::refused_by_server;
    if (!route.redirect) co_return Outcome{result, !refused};
    const Redirect redirect = *std::exchange(route.redirect, {});
    // Each kind of redirect is followed once, so that two nodes that redirect to each other cannot bounce a call
    // forever.
    const bool followed = redirect.kind == Redirect::Kind::moved   ? std::exchange(moved, true)
                          : redirect.kind == Redirect::Kind::check ? std::exchange(asking, true)
                                                                   : std::exchange(again, true);
    if (followed || SteadyClock::now() >= deadline) co_return Outcome{failed(Errc::unavailable)};
    route.asking = redirect.kind == Redirect::Kind::check;
    if (redirect.kind == Redirect::Kind::try_again) {
      auto moment = pause(std::min(deadline, SteadyClock::now() + kTryAgain));
      co_await moment;
      node_client.reset();
    } else {
      node_client = follow(redirect, asked);
    }
  }
}

std::shared_ptr<NodeClient> Cluster::follow(const Redirect& redirect, const RedisNode& asked) {
  if (stopped_) return nullptr;
  const RedisNode node{redirect.node.host.empty() ? asked.host : redirect.node.host, redirect.node.port};
  const std::uint16_t index = member(node);
  if (redirect.kind == Redirect::Kind::moved) {
    owner_of_[redirect.slot] = index;  // so that later calls need no redirect
    members_[index].owner = true;
    discovery_->doubt();
  }
  return members_[index].node_client;
}

Task<void> Cluster::pause(Time until) {
  Pause waiting(loop_.get_executor(), until);
  pauses_.push_back(waiting);
  co_await waiting;
}

void Cluster::wake() {
  Pauses all;
  all.swap(pauses_);
  while (!all.empty()) all.front().cut();
}

void Cluster::give_back(Debt debt) {
  if (!debt.costs.empty()) spawn(pay(shared_from_this(), std::move(debt)), "redis give back");
}

/// Gives permits back. If the first attempt fails, there is a second one, but only if no node can have received the
/// first: permits that are given back twice would be granted twice.
Task<void> Cluster::pay(std::shared_ptr<Cluster> self, Debt debt) {
  std::vector<limit::Check> checks;
  checks.reserve(debt.costs.size());
  for (std::size_t i = 0; i < debt.costs.size(); ++i)
    checks.push_back(
        {.rule = &debt.rules[i], .key = debt.keys[i], .hash = {}, .cost = -debt.costs[i], .token = debt.tokens[i]});
  std::vector<limit::Decision> decisions(checks.size());
  for (const bool last : {false, true}) {
    DecisionQuestion question(checks, decisions, self->setup_->options.key_prefix);
    auto call = self->call_owner(debt.slot, question, SteadyClock::now() + self->setup_->options.timeout);
    const Outcome outcome = co_await call;
    if (outcome.result.has_value()) {
      self->given_back_.add();
      co_return;
    }
    if (last || outcome.heard || self->stopped_) break;
    auto moment = self->pause(SteadyClock::now() + kPayAgain);
    co_await moment;
  }
  self->not_given_back_.add();
  if (self->lost_debts_.pass(SteadyClock::now()))
    observe::event(observe::LogLevel::warning, "redis_not_given_back", {},
                   {{"slot", debt.slot}, self->lost_debts_.left_out()});
}

bool Cluster::full() const {
  std::size_t under_way = 0;
  for (const auto& member : members_) under_way += member.node_client->in_flight();
  return under_way >= setup_->options.max_in_flight;
}

std::uint16_t Cluster::slot_of(const limit::Check& check) {
  return slot_of_key(setup_->options.key_prefix, check.key, key_);
}

}  // namespace headgate::redis
