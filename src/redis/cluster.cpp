#include "cluster.hpp"

#include "headgate/observe/event.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kCalm = 10s;        // between two looks at the map while nothing is wrong
constexpr auto kTryAgain = 5ms;    // while a slot is being moved
constexpr auto kPayAgain = 300ms;  // a failover or a restart may be over by then

bool same_subject(std::span<const limit::Ask> asks) {
  return std::all_of(asks.begin() + 1, asks.end(), [&](const auto& ask) { return ask.subject == asks[0].subject; });
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
  health_.store(Health::down, std::memory_order_relaxed);
  discovery_->stop();
  const auto members = std::exchange(members_, {});
  owner_of_.fill(kNobody);
  for (const auto& member : members) member.decider->stop();
  wake();
}

Task<Result<bool>> Cluster::decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) {
  const auto self = shared_from_this();  // a caller may let go of everything while it waits
  const auto deadline = Clock::now() + setup_->options.timeout;
  if (!mapped_ && !hopeless_ && !stopped_) {
    auto first_map = pause(deadline);
    co_await first_map;
    if (!mapped_ && !hopeless_ && !stopped_) co_return failed(Errc::timed_out);
  }
  if (same_subject(asks)) {
    auto call = ask(slot_of(asks[0]), asks, verdicts, deadline);
    co_return (co_await call).result;
  }
  boost::container::static_vector<std::uint16_t, limit::kMaxRulesPerRequest> slots;
  for (const auto& one : asks) slots.push_back(slot_of(one));
  auto calls = gather(asks, verdicts, {slots.data(), slots.size()}, deadline);
  co_return co_await calls;
}

/// One slot after the other; what the first ones took is given back where a later one refuses or fails.
Task<Result<bool>> Cluster::gather(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts,
                                   std::span<const std::uint16_t> slots, Time deadline) {
  Scatter scatter(asks, slots);
  Result<bool> result = true;
  std::size_t agreed = 0;
  for (const auto& group : scatter.groups()) {
    auto call = this->ask(group.slot, scatter.asks(group), scatter.verdicts(group), deadline);
    result = (co_await call).result;
    if (result.has_value()) scatter.tell(group, verdicts);
    if (result.has_error() || !*result) break;
    ++agreed;
  }
  if (agreed == scatter.groups().size()) co_return result;
  for (const auto& group : scatter.groups().first(agreed)) {
    give_back(scatter.take_back(group));
    scatter.tell(group, verdicts);
  }
  co_return result;
}

Task<Cluster::Outcome> Cluster::ask(std::uint16_t slot, std::span<const limit::Ask> asks,
                                    std::span<limit::Verdict> verdicts, Time deadline) {
  Route route{.deadline = deadline, .asking = false, .redirect = {}};
  bool moved = false;
  bool asking = false;
  bool again = false;
  std::shared_ptr<Decider> decider;
  Node asked;
  for (;;) {
    if (stopped_) co_return Outcome{failed(Errc::stopped)};
    if (!decider) {
      const std::uint16_t owner = owner_of_[slot];
      if (owner == kNobody) co_return Outcome{failed(Errc::unavailable)};
      decider = members_[owner].decider;
      asked = members_[owner].node;
    }
    auto pass = full() ? Result<Breaker::Pass>(Errc::overloaded) : decider->admit();
    if (pass.has_value() && *pass == Breaker::Pass::wait) {
      auto later = Decider::admit_later(decider, deadline);
      pass = co_await later;
    }
    if (!pass) co_return Outcome{failed(pass.error())};
    route.redirect.reset();
    Result<bool> result = false;
    {
      Call call(*decider, asks, verdicts, route);
      result = co_await call;
    }
    const bool refused = result.has_error() && result.error() == Errc::refused_by_server;
    if (!route.redirect) co_return Outcome{result, !refused};
    const Redirect redirect = *std::exchange(route.redirect, {});
    // Each is followed once: two nodes that name each other must not keep a call between them.
    const bool followed = redirect.kind == Redirect::Kind::moved ? std::exchange(moved, true)
                          : redirect.kind == Redirect::Kind::ask ? std::exchange(asking, true)
                                                                 : std::exchange(again, true);
    if (followed || Clock::now() >= deadline) co_return Outcome{failed(Errc::unavailable)};
    route.asking = redirect.kind == Redirect::Kind::ask;
    if (redirect.kind == Redirect::Kind::try_again) {
      auto moment = pause(std::min(deadline, Clock::now() + kTryAgain));
      co_await moment;
      decider.reset();
    } else {
      decider = follow(redirect, asked);
    }
  }
}

std::shared_ptr<Decider> Cluster::follow(const Redirect& redirect, const Node& asked) {
  if (stopped_) return nullptr;
  const Node node{redirect.node.host.empty() ? asked.host : redirect.node.host, redirect.node.port};
  const std::uint16_t index = member(node);
  if (redirect.kind == Redirect::Kind::moved) {
    owner_of_[redirect.slot] = index;  // the next calls need not learn it too
    members_[index].owner = true;
    discovery_->doubt();
  }
  return members_[index].decider;
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

/// Tried a second time where no node can have heard the first: what is given back twice would be granted twice.
Task<void> Cluster::pay(std::shared_ptr<Cluster> self, Debt debt) {
  std::vector<limit::Ask> asks;
  asks.reserve(debt.costs.size());
  for (std::size_t i = 0; i < debt.costs.size(); ++i)
    asks.push_back({&debt.rules[i], debt.subjects[i], {}, -debt.costs[i], limit::How::take});
  std::vector<limit::Verdict> verdicts(asks.size());
  for (const bool last : {false, true}) {
    auto call = self->ask(debt.slot, asks, verdicts, Clock::now() + self->setup_->options.timeout);
    const Outcome outcome = co_await call;
    if (outcome.result.has_value()) {
      self->given_back_.add();
      co_return;
    }
    if (last || outcome.heard || self->stopped_) break;
    auto moment = self->pause(Clock::now() + kPayAgain);
    co_await moment;
  }
  self->not_given_back_.add();
  if (self->lost_debts_.pass(Clock::now()))
    observe::event(observe::LogLevel::warning, "redis_not_given_back", {},
                   {{"slot", debt.slot}, self->lost_debts_.left_out()});
}

bool Cluster::full() const {
  std::size_t under_way = 0;
  for (const auto& member : members_) under_way += member.decider->in_flight();
  return under_way >= setup_->options.max_in_flight;
}

std::uint16_t Cluster::slot_of(const limit::Ask& ask) {
  return slot_of_subject(setup_->options.key_prefix, ask.subject, key_);
}

}  // namespace headgate::redis
