#pragma once
// What some steps keep of an exchange. Most exchanges have none of it.

#include "headgate/balance/circuit_gate.hpp"
#include "headgate/balance/places.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/shed/slot.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The appointment that a request keeps; see gateway/limits/appointments.hpp.
struct KeptAppointment;

/// An appointment that a rejection hands out.
struct OfferedAppointment {
  std::string_view token;  ///< empty: none
  Instant from;
  Instant until;
};

/// Of the limits with appointments.
struct AppointmentPart {
  std::shared_ptr<KeptAppointment> kept;  ///< null: the request shows none that is valid
  OfferedAppointment offered;
  const CompiledTier* tier = nullptr;  ///< whose appointments the events are of; null: there are none
  std::array<bool, observe::kAppointmentEvents> events{};
};

/// Of the limits in flight.
struct FlightPart {
  std::string_view token;                    ///< names it as the holder of permits in Redis; empty if it holds none
  Clock::Steady renewed_at{};                ///< when they were renewed last
  const CompiledTier* waited_for = nullptr;  ///< in whose queue it waited for a permit; null: in none
  Duration waited{0};                        ///< how long
};

/// Its place among those of the upstream; see gateway/steps/capacity.cpp, which alone writes it.
struct CapacityPart {
  enum class State : std::uint8_t { none, taken, refused };
  State state = State::none;
  observe::Source source = observe::Source::memory;
  limit::Check check;
  limit::Decision decision;
  Clock::Steady asked_at{};
  Duration took{0};                ///< how long the decision took
  std::optional<Duration> waited;  ///< in the queue; part of what the exchange waited for permits
};

/// Of load shedding, the bounds of servers and the circuit breaker.
struct SheddingPart {
  shed::Priority priority = shed::Priority::normal;   ///< by the route, the caller's tier or a trusted hop
  shed::Priority effective = shed::Priority::normal;  ///< what it counts as: now and then low is normal
  std::optional<shed::Layer> layer;                   ///< that refused it
  Duration queued{0};                                 ///< how long it waited for a place
  shed::Slot slot;                                    ///< its place at the upstream
  balance::Place server_place;                        ///< at the server to use, until an attempt has it
  std::optional<Clock::Steady> server_since;          ///< when it was taken, if servers have only so many
  balance::CircuitPass circuit_pass = balance::CircuitPass::none;

  void reset() {
    slot.leave();
    if (server_place.held()) server_place = {};
    server_since.reset();
    priority = effective = shed::Priority::normal;
    layer.reset();
    queued = Duration(0);
    circuit_pass = balance::CircuitPass::none;
  }
};

/// Of suspensions.
struct SuspensionPart {
  const RouteBan* by = nullptr;  ///< the limit under which the caller is suspended, or would be if it did not observe
  std::string_view key;          ///< its key
  bool noted = false;            ///< the offences, before the answer, which tells the suspension that they begin
};

}  // namespace headgate::gateway
