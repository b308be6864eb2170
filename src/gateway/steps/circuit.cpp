// The circuit breaker of the route's upstream: while it is open, requests are refused at once. The main thread decides
// whether the breaker opens (balance/circuit), from the counts of `leave_circuit`.

#include "gateway/limits/grpc_outcome.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "steps.hpp"

#include "headgate/balance/circuit_gate.hpp"

namespace headgate::gateway {
namespace {

using balance::CircuitDoor;
using balance::CircuitPass;

CircuitDoor* door_of(const Exchange& x) noexcept { return x.snapshot->upstreams[x.route->upstream]->circuit(); }

bool failed(const Exchange& x) noexcept {
  return x.grpc_status == observe::GrpcStatus::none ? balance::is_failure(x.status) : says_that_server_failed(x);
}

CircuitDoor::End end_of(const Exchange& x) noexcept {
  switch (x.ended_by) {
    case EndedBy::upstream:
      return failed(x) ? CircuitDoor::End::bad : CircuitDoor::End::good;
    case EndedBy::no_server:
    case EndedBy::timeout_connect:
    case EndedBy::timeout_upstream:
    case EndedBy::upstream_closed:
      return CircuitDoor::End::bad;
    default:  // no result for the circuit, for example because the client left
      return CircuitDoor::End::unknown;
  }
}

Problem circuit_problem(Exchange& x, CircuitDoor& door) {
  static const UntilWait failing =
      until_wait(503, EndedBy::circuit, "The servers behind this gateway are failing at the moment. Try again in ");
  door.count_refused();
  x.reason = "too many requests to its upstream fail";
  return {.status = 503,
          .ended_by = EndedBy::circuit,
          .retry_after = door.retry_after(x.clock->steady()),
          .body = ProblemBody::of_rejection,
          .until_wait = &failing};
}

}  // namespace

// Runs before the limits that need a call and before all waits, so that a refused request costs little.
MaybeProblem check_circuit(Path& /*path*/, Exchange& x) {
  auto* const door = door_of(x);
  if (door == nullptr || !door->refuses()) return {};
  return circuit_problem(x, *door);
}

// Runs after all other steps that refuse: only a few requests may pass a half-open circuit, and each of them must reach
// a server.
MaybeProblem pass_circuit(Path& /*path*/, Exchange& x) {
  auto* const door = door_of(x);
  if (door == nullptr || x.client_gone) return {};
  x.shedding.circuit_pass = door->enter();
  if (x.shedding.circuit_pass != CircuitPass::none) return {};
  return circuit_problem(x, *door);
}

void leave_circuit(Path& /*path*/, Exchange& x) {
  if (x.shedding.circuit_pass == CircuitPass::none) return;
  if (auto* const door = door_of(x))
    door->ended(x.shedding.circuit_pass, x.client_gone ? CircuitDoor::End::unknown : end_of(x));
  x.shedding.circuit_pass = CircuitPass::none;
}

}  // namespace headgate::gateway
