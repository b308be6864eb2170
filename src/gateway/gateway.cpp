#include "headgate/gateway/gateway.hpp"

#include "gateway/answers/auth_refusal.hpp"
#include "gateway/answers/room_answer.hpp"
#include "gateway/grpc/grpc_call.hpp"
#include "gateway/limits/settle.hpp"
#include "gateway/limits/unanswered.hpp"
#include "gateway/path/path.hpp"
#include "gateway/record/trace.hpp"
#include "gateway/reservations/reservations.hpp"
#include "gateway/reservations/settle_call.hpp"
#include "gateway/steps/rate_limit_service.hpp"
#include "gateway/steps/steps.hpp"
#include "gateway/steps/walk.hpp"

#include "headgate/gateway/candidate.hpp"
#include "headgate/identity/client_address.hpp"

#include <utility>

namespace headgate::gateway {

Gateway::Gateway(Services services, SnapshotPtr snapshot)
    : path_(std::make_unique<Path>(services, std::move(snapshot))) {
  if (services.reservations != nullptr)
    path_->reservations = std::make_shared<Reservations>(*path_, *services.reservations);
}

Gateway::~Gateway() = default;

void Gateway::adopt(SnapshotPtr snapshot) { path_->adopt(std::move(snapshot)); }

void Gateway::use_overrides(SnapshotPtr snapshot) { path_->snapshot = std::move(snapshot); }

void Gateway::stop() {
  if (path_->reservations) path_->reservations->stop();
  path_->stop();
}

bool Gateway::trusts(const boost::asio::ip::address& peer) const {
  return identity::contains(path_->snapshot->compiled->identity().trusted_proxies, peer);
}

bool Gateway::opens_websockets() const { return path_->snapshot->compiled->opens_websockets(); }

// The steps, their order and the reasons for it are in steps/table.cpp.
Task<void> Gateway::handle(Exchange& x) {
  auto& path = *path_;
  x.snapshot = path.snapshot;
  x.random = &path.services.random;
  x.learned = path.learned.get();
  x.request_id = path.request_ids.of(x);
  if (x.snapshot->compiled->options().tracing) begin_trace(x, *x.snapshot->compiled->options().tracing);
  Walk walk(path, x);
  const bool settles = path.reservations != nullptr && is_settle_call(x);
  const bool walks = !settles && x.protocol != net::ListenProtocol::rate_limit_service;
  if (settles) [[unlikely]] {
    walk.problem() = co_await answer_settle_call(path, x);
  } else if (!walks) [[unlikely]] {
    walk.problem() = co_await answer_rate_limit(path, x);
  } else {
    while (const auto* const waits = walk.next()) walk.ended(co_await waits->task(path, x));
  }
  auto& problem = walk.problem();
  if (problem) {
    if (x.snapshot->candidate && !walk.served() && walks) [[unlikely]]
      x.snapshot->candidate->decided(path, x, &*problem);
    // The reason is recorded now: while the answer is sent, the client may leave or an operator may end the exchange.
    x.ended_by = problem->ended_by;
    x.unanswered = avoided_answer(x);
    if (x.route && x.route->takes(Step::settle)) {
      note_status(x, problem->status);
      leave_step(path, x, Step::settle);
    }
    if (x.route && !x.route->bans.empty()) co_await suspend_first(path, x, *problem);
    // An operator may have ended the request while it waited.
    if (auto ended = problem_of_operator(x)) problem = ended;
    const bool waits = problem->ended_by == EndedBy::waiting_room;
    if (waits && !is_grpc(x))
      co_await send_wait(x, *problem);
    else if (is_auth_refusal(x, *problem))
      co_await send_auth_refusal(x, *problem);
    else
      co_await send_problem(x, *problem,
                            waits ? RejectionHeaders::none : x.snapshot->compiled->options().rejection.headers);
    // Nothing is wrong with a rejected request except that there were too many, or that its budget is spent.
    if (problem->status < kRejectedStatus && problem->status != kSpentStatus) keep_refused(path, x);
  }
  finish(path, x);
}

void Gateway::refused(Exchange& x) {
  finish(*path_, x);
  if (!x.snapshot) x.route = nullptr;  // Without a snapshot nothing keeps the route alive.
}

void Gateway::name(Exchange& x) { x.request_id = path_->request_ids.of(x); }

void Gateway::refused_head(const Exchange& x, std::string_view bytes, std::optional<std::size_t> fault) {
  keep_refused_head(*path_, x, bytes, fault);
}

void Gateway::handshake_failed(const boost::asio::ip::address& peer, std::string_view reason) {
  keep_failed_handshake(*path_, peer, reason);
}

void Gateway::glitches(const boost::asio::ip::address& peer, std::uint32_t times) {
  path_->glitches->count(path_->snapshot, peer, times);
}

}  // namespace headgate::gateway
