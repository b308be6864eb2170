#pragma once
// State that the steps of the path keep for one exchange. A step that needs state has a member of StepState; every
// exchange begins with a new StepState.

#include "headgate/balance/circuit_gate.hpp"
#include "headgate/balance/places.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/limit/hold_table.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/shed/slot.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// The appointment that a request keeps; see gateway/limits/appointments.hpp.
struct KeptAppointment;
/// A call of gRPC-Web; see gateway/grpc/grpc_web.hpp.
class GrpcWeb;
/// Compresses the answer; see gateway/answers/compressed_reply.hpp.
class CompressedReply;
/// The values that limits read from bodies; see gateway/bodies/body_values.hpp.
class BodyValues;
/// The bytes of a body that are held; see gateway/servers/held_body.hpp.
class HeldBody;
/// The answer of the auth service; see gateway/auth_service.hpp.
struct AuthAnswer;

enum class RoomOutcome : std::uint8_t {
  none,      ///< the route has no waiting room, or the request needs no place
  inside,    ///< the request came with a pass
  admitted,  ///< the request may go in
  waiting,
  lost  ///< the request came too late for its place, and waits with a new number
};

/// The decision of the route's waiting room. Set by the step `room`.
struct RoomVisit {
  RoomOutcome outcome = RoomOutcome::none;
  bool observed = false;         ///< whether the caller would have had to wait if the room enforced its limit
  bool page = false;             ///< whether the caller gets a page
  bool cookie = false;           ///< whether `give` is set as a cookie; otherwise it is a header field
  std::string_view give;         ///< the ticket or pass for the caller; a view into x.text, or empty
  Duration keep{0};              ///< time for which a browser keeps the cookie
  std::int64_t position = 0;     ///< the place of a waiting caller; 0 if it is not known
  std::optional<Duration> wait;  ///< the expected wait, if it is known
  std::uint64_t refresh = 0;     ///< seconds after which the page asks again

  bool operator==(const RoomVisit&) const = default;
};

/// An appointment that a rejection hands out.
struct OfferedAppointment {
  std::string_view token;  ///< token of the appointment; empty if there is none
  Instant from;
  Instant until;

  bool operator==(const OfferedAppointment&) const = default;
};

/// The state of limits with appointments.
struct AppointmentPart {
  std::shared_ptr<KeptAppointment> kept;  ///< the appointment that the request keeps; null if it shows no valid one
  OfferedAppointment offered;
  const CompiledTier* tier = nullptr;  ///< the tier whose metrics count `events`; null if there are none
  std::array<bool, kCountOf<observe::AppointmentEvent>> events{};

  bool operator==(const AppointmentPart&) const = default;
};

/// The state of limits in flight.
struct FlightPart {
  std::string_view token;      ///< the name of the exchange as a holder of permits in Redis; empty if it holds none
  Clock::Steady renewed_at{};  ///< moment of the last renewal
  /// the tier in whose queue the request waited for a permit; null if it waited in none
  const CompiledTier* waited_for = nullptr;
  Duration waited{0};  ///< time that the request waited in that queue

  bool operator==(const FlightPart&) const = default;
};

/// The place in the upstream's capacity. Only gateway/steps/capacity.cpp writes it.
struct CapacityPart {
  enum class State : std::uint8_t { none, taken, refused };
  State state = State::none;
  observe::Source source = observe::Source::memory;
  limit::Check check;
  limit::Decision decision;
  Clock::Steady asked_at{};
  Duration took{0};                ///< time that the decision took
  std::optional<Duration> waited;  ///< time in the queue, which is also part of the wait for permits

  bool operator==(const CapacityPart&) const = default;
};

/// The state of load shedding, of the bounds of servers, and of the circuit breaker.
struct SheddingPart {
  shed::Priority priority = shed::Priority::normal;  ///< priority, set by the route, the caller's tier or a trusted hop
  /// the priority that decides; a share of the requests with low priority is treated as normal
  shed::Priority effective = shed::Priority::normal;
  std::optional<shed::Layer> layer;           ///< the layer that refused the request
  Duration queued{0};                         ///< time of the wait for a place
  shed::Slot slot;                            ///< the place at the upstream
  balance::Place server_place;                ///< the place at the chosen server, until an attempt takes it over
  std::optional<Clock::Steady> server_since;  ///< moment when `server_place` was taken, if servers have a bound
  balance::CircuitPass circuit_pass = balance::CircuitPass::none;

  bool operator==(const SheddingPart&) const = default;
};

/// The permits that one rule holds for an exchange until its cost is known.
struct PermitHold {
  limit::HeldPermits permits;
  std::uint64_t seed = 0;               ///< Rule::seed of the rule
  const CompiledTier* shown = nullptr;  ///< the tier whose metric has these permits; null for further rules of a limit
  Clock::Steady since{};

  bool operator==(const PermitHold&) const = default;
};

/// The state of limits whose costs are settled. Only gateway/admission/holds.cpp writes it.
struct HoldPart {
  std::vector<PermitHold> taken;
  /// a bit for each check that was rejected only because calls under way hold the permits
  std::uint32_t behind = 0;

  bool operator==(const HoldPart&) const = default;
};

/// The state of suspensions.
struct SuspensionPart {
  const RouteBan* by = nullptr;  ///< the limit under which the caller is suspended, or would be if the limit enforced
  std::string_view key;          ///< the key of that limit
  /// whether the offences were counted before the answer, because the answer announces the suspension that they begin
  bool noted = false;

  bool operator==(const SuspensionPart&) const = default;
};

/// The state of the steps of one exchange. Exchange::reset() replaces it as a whole.
struct StepState {
  /// Whether the route has a step that needs state. Set as soon as the route is found. If false, no step may change a
  /// member, and nothing needs to be reset.
  bool used = false;
  bool quotas_noticed = false;  ///< whether the decisions were checked for quota notices
  RoomVisit room;
  FlightPart flight;
  AppointmentPart appointments;
  CapacityPart capacity;
  SheddingPart shedding;
  SuspensionPart suspension;
  HoldPart holds;
  /// the id of the reservation that the decision has made, or that the call settles; empty if there is none
  std::string_view reservation;
  std::shared_ptr<const AuthAnswer> auth;  ///< the answer of the auth service; null if it was not asked
  std::string_view user;                   ///< the user whose password was verified; empty if there is none
  std::shared_ptr<GrpcWeb> grpc_web;  ///< translator of body and answer; null if the request is no call of gRPC-Web
  std::shared_ptr<CompressedReply> compressed;  ///< wrapper of the reply; null if the answer is not compressed
  std::shared_ptr<HeldBody> held;               ///< the held body of the request; null if it is not held
  std::shared_ptr<BodyValues> bodies;           ///< the values that limits read from bodies; null if they read none
  /// the maximum of output that the gateway writes into the request, because what it allowed did not fit; 0 if none
  std::int64_t clamped = 0;

  bool operator==(const StepState&) const = default;
};

}  // namespace headgate::gateway
