#include "path.hpp"

#include "shed_counters.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

std::unique_ptr<identity::TokenCache> token_cache(const Snapshot& snapshot) {
  const auto& jwt = snapshot.compiled->identity().jwt;
  return std::make_unique<identity::TokenCache>(jwt ? jwt->remember : 0);
}

}  // namespace

Path::Path(Services given, SnapshotPtr first)
    : services(given),
      snapshot(std::move(first)),
      request_ids(services.random),
      outage(std::make_shared<Outage>(services.clock, services.memory, services.random)),
      turns(std::make_unique<Turns>(services.clock, services.flights)),
      in_flight(std::make_unique<InFlight>(services.clock, services.memory, *turns, services.random)),
      offences(std::make_shared<Offences>(services.clock, services.memory, services.bans)),
      glitches(std::make_shared<Glitches>(services.clock, services.memory, services.bans, offences)),
      notices(std::make_unique<Notices>(services.clock, services.notices)),
      rooms(std::make_shared<Rooms>(services.clock, services.rooms)),
      shard_turns(services.random()),
      mirrors(std::make_shared<Mirrors>(services.clock, services.random, services.lent)),
      auth(std::make_shared<AuthCalls>(services.clock, services.lent)),
      guesses(std::make_shared<AuthGuesses>(services.clock, services.random.id())),
      passwords(std::make_unique<PasswordCalls>(services.clock, services.passwords)),
      encoders(std::make_shared<EncoderPlaces>(services.lent)),
      tokens(token_cache(*snapshot)) {
  outage->adopt(snapshot->redis);
  auth->adopt(snapshot->compiled);
  watch_lag();
}

Path::~Path() {
  mirrors->stop();
  auth->stop();
  guesses->stop();
  passwords->stop();
}

void Path::adopt(SnapshotPtr next) {
  // Tokens that were verified with the previous keys must be verified again. The cache can be replaced here, because no
  // exchange is between reading the cache and writing to it.
  if (next->credentials->jwt() != snapshot->credentials->jwt()) tokens = token_cache(*next);
  auth->adopt(next->compiled);
  if (next->counters != snapshot->counters) clear_gauges(snapshot->counters->of_steps());
  snapshot = std::move(next);
  outage->adopt(snapshot->redis);
  watch_lag();
}

void Path::stop() {
  outage->stop();
  in_flight->stop();
  offences->stop();
  glitches->stop();
  rooms->stop();
  mirrors->stop();
  auth->stop();
  passwords->stop();
  lag.reset();
}

void Path::watch_lag() {
  const auto tolerated = snapshot->compiled->options().shedding.loop_lag;
  if (tolerated != lag_tolerated)
    lag = tolerated > Duration(0) ? std::make_unique<LagProbe>(services.clock, tolerated) : nullptr;
  lag_tolerated = tolerated;
  if (lag) lag->show(snapshot->counters->of<SheddingCounters>().loop_lag());
}

}  // namespace headgate::gateway
