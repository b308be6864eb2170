#pragma once
// Permits of requests in flight, for limits and for the capacity of upstreams. Each is returned when its exchange ends,
// and renewed in Redis until then.

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

/// The permits of one worker; its thread only. A permit in Redis has the token of its exchange and expires
/// limit::kFlightLease after each renewal, so the permits of a gateway that is killed return after that time. While
/// Redis is down, permits are counted locally; the first renewal afterwards registers them in Redis.
class InFlight {
 public:
  InFlight(Clock& clock, limit::Limiter& memory, Turns& turns, Random& random);
  ~InFlight();

  /// Gives the exchange its token, before its limits in Redis are checked for the first time.
  void name(Exchange& x);
  /// Shows in the metrics the permits of one stage, for limits from index `first` on, until release().
  static void show(const Exchange& x, std::size_t first);
  /// Renews the permits that an admitted exchange holds in Redis, until release().
  void keep(Exchange& x);
  /// Returns the permits of an exchange that has ended, locally and in Redis. Notifies the first request that waits for
  /// them. Returns without a wait.
  void release(Exchange& x);
  /// Stops renewing permits.
  void stop();

 private:
  using ExchangeList =
      boost::intrusive::list<Exchange, boost::intrusive::member_hook<Exchange, InFlightHook, &Exchange::in_flight>,
                             boost::intrusive::constant_time_size<false>>;

  static void on_alarm(void* self);
  void renew(Exchange& x);
  void arm(Duration after);

  Clock& clock_;
  limit::Limiter& memory_;
  Turns& turns_;
  std::string process_;  ///< random, so that the tokens of two processes differ
  std::uint64_t exchanges_ = 0;
  ExchangeList kept_;             ///< the exchange whose renewal is the longest ago comes first
  std::unique_ptr<Alarm> alarm_;  ///< null after stop()
  bool armed_ = false;
};

}  // namespace headgate::gateway
