#include "server_watch.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/families/upstreams.hpp"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

using balance::EjectChange;
using balance::EjectReason;
using observe::event;
using observe::LogLevel;

constexpr auto kWatchPace = std::chrono::milliseconds(250);

std::string_view sentence_of(EjectReason reason) {
  switch (reason) {
    case EjectReason::unreachable:
      return "the server gets no requests for now: several connections in a row could not be opened";
    case EjectReason::failing:
      return "the server gets no requests for now: it failed several times in a row";
    case EjectReason::errors:
      return "the server gets no requests for now: too many of its answers are failures";
    case EjectReason::silent:
      return "the server gets no requests for now: it answers too few requests, or none";
    case EjectReason::slow:
      return "the server gets no requests for now: it is much slower than the others";
    case EjectReason::count:
      break;
  }
  return {};
}

/// Sets the bounds of the places. The previous configuration may use the same places, so this function is called when
/// the new one becomes active.
void use_places(const services::ActiveConfig& active) noexcept {
  for (std::size_t at = 0; at < active.places.size(); ++at)
    for (std::size_t i = 0; i < active.places[at].size(); ++i)
      if (const auto& places = active.places[at][i])
        places->most(active.config->upstreams[at].servers[i].max_in_flight);
}

std::vector<admin::WatchedUpstream> watched_upstreams(const services::ActiveConfig& active,
                                                      const admin::ServerSizes& sizes) {
  std::vector<admin::WatchedUpstream> out;
  for (std::size_t i = 0; i < active.watches.size(); ++i) {
    const auto& options = active.config->upstreams[i];
    auto& row = out.emplace_back(admin::WatchedUpstream{options.name, active.watches[i], {}});
    for (const auto& server : options.servers)
      row.sizes.push_back({.weight = server.weight,
                           .max_in_flight = server.max_in_flight,
                           .backup = server.backup,
                           .set_by_operator = sizes.has(options.name, server.text)});
  }
  return out;
}

}  // namespace

ServerWatch::ServerWatch(Clock& clock, observe::Registry& registry, admin::AdminBoard& board,
                         const admin::ServerSizes& sizes)
    : clock_(clock),
      alarm_(clock.alarm(
          [](void* self) {
            static_cast<ServerWatch*>(self)->tick();
            static_cast<ServerWatch*>(self)->start();
          },
          this)),
      registry_(registry),
      board_(board),
      sizes_(sizes) {}

void ServerWatch::adopt(const std::shared_ptr<const services::ActiveConfig>& active) {
  active_ = active;
  use_places(*active_);
  board_.use_upstreams(watched_upstreams(*active_, sizes_));
}

void ServerWatch::start() { alarm_->set(kWatchPace); }

void ServerWatch::tick() {
  const auto now = clock_.steady();
  const auto& upstreams = active_->config->upstreams;
  for (std::size_t i = 0; i < upstreams.size(); ++i) {
    const auto news = active_->watches[i]->tick(now);
    for (const auto& change : news.servers) report(upstreams[i], change);
    if (news.circuit) report(upstreams[i], *news.circuit);
    if (news.refused > 0)
      registry_.counter(observe::kMainThread, observe::family::upstream_circuit_refused, {upstreams[i].name})
          .add(news.refused);
  }
}

void ServerWatch::report(const upstream::ServerGroupOptions& upstream, const EjectChange& change) {
  const auto& server = upstream.servers[change.at].text;
  const auto reason = balance::to_text(change.reason);
  if (change.what == EjectChange::What::returned) {
    event(LogLevel::info, "server_returned",
          change.panic ? "the server gets requests again, because too few other servers are available"
                       : "the server gets requests again, because it answered its trial requests",
          {{"upstream", upstream.name}, {"server", server}, {"reason", reason}});
    return;
  }
  const auto time = to_text(change.time);
  if (change.what == EjectChange::What::trial_failed) {
    event(LogLevel::info, "server_trial_failed", "the server failed its trial request and gets no requests for now",
          {{"upstream", upstream.name}, {"server", server}, {"reason", reason}, {"next_trial_in", time}});
    return;
  }
  event(LogLevel::warning, "server_ejected", sentence_of(change.reason),
        {{"upstream", upstream.name}, {"server", server}, {"reason", reason}, {"next_trial_in", time}});
  registry_
      .counter(observe::kMainThread, observe::family::upstream_ejections, {upstream.name, server, std::string(reason)})
      .add();
}

void ServerWatch::report(const upstream::ServerGroupOptions& upstream, balance::CircuitState circuit) {
  switch (circuit) {
    case balance::CircuitState::open:
      event(LogLevel::warning, "circuit_opened", "too many requests to this upstream fail, so all are refused for now",
            {{"upstream", upstream.name}, {"next_try_in", to_text(upstream.circuit->try_again)}});
      return;
    case balance::CircuitState::half_open:
      event(LogLevel::info, "circuit_tries", "a few requests to this upstream pass again, as a trial",
            {{"upstream", upstream.name}});
      return;
    case balance::CircuitState::closed:
      event(LogLevel::info, "circuit_closed", "requests to this upstream pass again", {{"upstream", upstream.name}});
      return;
  }
}

}  // namespace headgate::server
