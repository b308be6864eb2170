#pragma once
// Permits of requests in flight, of limits and of the capacity of their upstream: each is given back when its exchange
// ends, and renewed in Redis until then.

#include "turns.hpp"

#include "headgate/core/clock.hpp"
#include "headgate/core/random.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/limiter.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace headgate::observe {
struct AccessRecord;
}

namespace headgate::gateway {

/// Of one worker; its thread only. A permit in Redis has the token of its exchange and counts for limit::kFlightLease
/// after each renewal. So a gateway that is killed holds nothing for longer. While Redis is away permits are counted
/// here; the first renewal after that registers them in Redis.
class InFlight {
 public:
  InFlight(Clock& clock, limit::Limiter& memory, Turns& turns, Random& random);
  ~InFlight();

  /// Gives the exchange its token, before its limits in Redis are checked for the first time.
  void name(Exchange& x);
  /// The limits of one stage, from index `first` on, have let the exchange pass: the metrics show what it holds of
  /// them, until release().
  static void show(const Exchange& x, std::size_t first);
  /// The exchange was admitted: renews what it holds in Redis, until release().
  void keep(Exchange& x);
  /// The exchange has ended: gives back what it holds, here and in Redis, to the first that waits for it. Returns at
  /// once.
  void release(Exchange& x);
  /// Renews nothing any more.
  void stop();

 private:
  using Kept =
      boost::intrusive::list<Exchange, boost::intrusive::member_hook<Exchange, InFlightHook, &Exchange::in_flight>,
                             boost::intrusive::constant_time_size<false>>;

  static void on_alarm(void* self);
  void renew(Exchange& x);
  void arm(Duration after);

  Clock& clock_;
  limit::Limiter& memory_;
  Turns& turns_;
  std::string process_;  ///< random: the tokens of two processes differ
  std::uint64_t exchanges_ = 0;
  Kept kept_;                     ///< the one renewed the longest ago first
  std::unique_ptr<Alarm> alarm_;  ///< null once stopped
  bool armed_ = false;
};

}  // namespace headgate::gateway
