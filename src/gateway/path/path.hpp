#pragma once
// The objects that the steps of one worker share.

#include "gateway/answers/encoder_places.hpp"
#include "gateway/auth/auth_calls.hpp"
#include "gateway/auth/auth_guesses.hpp"
#include "gateway/basic/password_calls.hpp"
#include "gateway/bodies/learned_use.hpp"
#include "gateway/forward/mirrors.hpp"
#include "gateway/limits/glitches.hpp"
#include "gateway/limits/in_flight.hpp"
#include "gateway/limits/notices.hpp"
#include "gateway/limits/offences.hpp"
#include "gateway/limits/outage.hpp"
#include "gateway/limits/turns.hpp"
#include "gateway/rooms/rooms.hpp"
#include "lag_probe.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/gateway/request_id.hpp"
#include "headgate/identity/token_cache.hpp"
#include "headgate/limit/shards.hpp"

#include <memory>

namespace headgate::gateway {

class Reservations;

/// The path of one worker; its thread only.
struct Path {
  Path(Services given, SnapshotPtr first);
  ~Path();
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  /// Uses `next` for new exchanges from now on.
  void adopt(SnapshotPtr next);
  /// Stops the background work. No exchange may begin afterwards.
  void stop();

  Services services;
  SnapshotPtr snapshot;
  RequestIds request_ids;
  std::shared_ptr<Outage> outage;
  std::unique_ptr<Turns> turns;
  std::unique_ptr<InFlight> in_flight;
  std::shared_ptr<Offences> offences;
  std::shared_ptr<Glitches> glitches;
  std::unique_ptr<Notices> notices;
  std::shared_ptr<Rooms> rooms;
  limit::ShardTurns shard_turns;
  std::shared_ptr<Mirrors> mirrors;
  std::shared_ptr<AuthCalls> auth;
  std::shared_ptr<AuthGuesses> guesses;
  std::unique_ptr<PasswordCalls> passwords;
  std::shared_ptr<EncoderPlaces> encoders;
  std::unique_ptr<identity::TokenCache> tokens;
  std::unique_ptr<LearnedUse> learned = std::make_unique<LearnedUse>();
  bool verifies_tokens = true;    ///< whether tokens are verified; if not, a token that is not known yet gets 503
  std::unique_ptr<LagProbe> lag;  ///< null if the lag is not watched
  Duration lag_tolerated{0};
  /// reservations of this worker, made by the gateway; null if the process has none
  std::shared_ptr<Reservations> reservations;
  unsigned drained = 0;  ///< number of answers that are being read to their end without a client

 private:
  void watch_lag();
};

}  // namespace headgate::gateway
