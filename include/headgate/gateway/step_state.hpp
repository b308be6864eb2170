#pragma once
// The state that single steps of the path keep of an exchange. A step that keeps something has a member of StepState;
// every exchange begins with a new one.

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
/// A call of gRPC-Web; see gateway/grpc/grpc_web.hpp.
class GrpcWeb;
/// Compresses its answer; see gateway/answers/compressed_reply.hpp.
class CompressedReply;
/// The bytes of a body that are held; see gateway/servers/held_body.hpp.
class HeldBody;
/// What the auth service said; see gateway/auth_service.hpp.
struct AuthAnswer;

enum class RoomOutcome : std::uint8_t {
  none,      ///< the route has no room, or the request needs no place
  inside,    ///< it came with a pass
  admitted,  ///< it may go in
  waiting,
  lost  ///< it came too late for its place, and waits with a new number
};

/// What the waiting room of the route said. Set by the step `room`.
struct RoomVisit {
  RoomOutcome outcome = RoomOutcome::none;
  bool observed = false;         ///< it would have had to wait
  bool page = false;             ///< the caller is told by a page
  bool cookie = false;           ///< `give` goes into a cookie, else into a field
  std::string_view give;         ///< the ticket or pass for the caller; a view into x.text, or empty
  Duration keep{0};              ///< how long a browser keeps it
  std::int64_t position = 0;     ///< of a caller who waits; 0: not known
  std::optional<Duration> wait;  ///< how long, if that is known
  std::uint64_t refresh = 0;     ///< seconds after which the page asks again

  bool operator==(const RoomVisit&) const = default;
};

/// An appointment that a rejection hands out.
struct OfferedAppointment {
  std::string_view token;  ///< empty: none
  Instant from;
  Instant until;

  bool operator==(const OfferedAppointment&) const = default;
};

/// Of the limits with appointments.
struct AppointmentPart {
  std::shared_ptr<KeptAppointment> kept;  ///< null: the request shows none that is valid
  OfferedAppointment offered;
  const CompiledTier* tier = nullptr;  ///< whose appointments the events are of; null: there are none
  std::array<bool, kCountOf<observe::AppointmentEvent>> events{};

  bool operator==(const AppointmentPart&) const = default;
};

/// Of the limits in flight.
struct FlightPart {
  std::string_view token;                    ///< names it as the holder of permits in Redis; empty if it holds none
  Clock::Steady renewed_at{};                ///< when they were renewed last
  const CompiledTier* waited_for = nullptr;  ///< in whose queue it waited for a permit; null: in none
  Duration waited{0};                        ///< how long

  bool operator==(const FlightPart&) const = default;
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

  bool operator==(const CapacityPart&) const = default;
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

  bool operator==(const SheddingPart&) const = default;
};

/// Of suspensions.
struct SuspensionPart {
  const RouteBan* by = nullptr;  ///< the limit under which the caller is suspended, or would be if it did not observe
  std::string_view key;          ///< its key
  bool noted = false;            ///< the offences, before the answer, which tells the suspension that they begin

  bool operator==(const SuspensionPart&) const = default;
};

/// The state of the steps of one exchange. Exchange::reset() replaces it as a whole.
struct StepState {
  /// Whether its route has a step that keeps something. Set by the walk as soon as it has a route; else nothing here
  /// may be changed, and nothing is reset.
  bool used = false;
  bool quotas_noticed = false;  ///< what its limits decided was looked at for notices
  RoomVisit room;
  FlightPart flight;
  AppointmentPart appointments;
  CapacityPart capacity;
  SheddingPart shedding;
  SuspensionPart suspension;
  std::shared_ptr<const AuthAnswer> auth;       ///< what the auth service said; null: it was not asked
  std::string_view user;                        ///< whose password was right; empty: nobody's
  std::shared_ptr<GrpcWeb> grpc_web;            ///< translates its body and its answer; null: it is no call of gRPC-Web
  std::shared_ptr<CompressedReply> compressed;  ///< stands before its reply; null: its answer is not compressed
  std::shared_ptr<HeldBody> held;               ///< of a request's body; null: nothing is held

  bool operator==(const StepState&) const = default;
};

}  // namespace headgate::gateway
