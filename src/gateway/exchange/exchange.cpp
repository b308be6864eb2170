#include "headgate/gateway/exchange.hpp"

#include "headgate/core/per_enum.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>

namespace headgate::gateway {

std::string_view to_text(EndedBy ended_by) noexcept {
  static constexpr WordsUpTo<EndedBy::bug> kWords({"upstream",
                                                   "respond",
                                                   "preflight",
                                                   "limit",
                                                   "ban",
                                                   "waiting_room",
                                                   "shed",
                                                   "full",
                                                   "circuit",
                                                   "auth",
                                                   "no_route",
                                                   "no_server",
                                                   "timeout_connect",
                                                   "timeout_upstream",
                                                   "deadline",
                                                   "timeout_client",
                                                   "client_closed",
                                                   "upstream_closed",
                                                   "too_large",
                                                   "bad_request",
                                                   "drain",
                                                   "operator",
                                                   "bug"});
  return kWords[ended_by];
}

std::string_view to_text(Source source) noexcept {
  return source == Source::redis ? "redis" : source == Source::memory ? "memory" : "fallback";
}

std::string_view to_text(CostFrom from) noexcept {
  switch (from) {
    case CostFrom::answer:
      return "reported";
    case CostFrom::counted:
      return "counted";
    default:
      return "held";
  }
}

std::string_view Caller::claim(std::string_view name) const noexcept {
  if (!token) return {};
  const auto at = token->claims.find(name);
  return at == token->claims.end() ? std::string_view{} : std::string_view(at->second);
}

void Admission::bind(std::size_t from) noexcept {
  const limit::Decision* best = nullptr;
  for (std::size_t i = from; i < limits.size(); ++i) {
    const auto& checked = limits[i];
    if (checked.route_limit->limit->mode == limit::Mode::observe || checked.decision == LimitDecision::kept) continue;
    for (std::size_t at = checked.first; at < checked.first + std::size_t{checked.count}; ++at) {
      if (best && !limit::binds_before(decisions[at], *best)) continue;
      best = &decisions[at];
      binding = &checked;
    }
  }
  if (best) rule = static_cast<std::size_t>(best - decisions.data());
}

const CheckedLimit* Admission::observed() const noexcept {
  for (const auto& checked : limits)
    if (checked.decision == LimitDecision::rejected && checked.route_limit->limit->mode == limit::Mode::observe)
      return &checked;
  return nullptr;
}

void Admission::grow(std::size_t wanted) {
  const auto at = binding == nullptr ? 0 : binding - limits.data();
  assert(at <= static_cast<std::ptrdiff_t>(limits.size()));
  constexpr std::size_t kUsual = 4;  // enough for a route with one or two limits
  const auto room = std::max({kUsual, wanted, std::min(2 * decisions.size(), kMax)});
  checks.reserve(room);
  decisions.resize(room);
  limits.reserve(std::max(room, limits.size() + 1));
  if (binding != nullptr) binding = limits.data() + at;
}

void Admission::reset() noexcept {
  outcome = Outcome::none;
  binding = nullptr;
  rule = 0;
  delay = Duration(0);
  held = 0;
  served = late = returned = peek = false;
  checks.clear();
  limits.clear();
  unchecked.clear();
  own_sizes.clear();
  own_words.reset();
}

void Exchange::copy_request(const Exchange& other) {
  static_cast<Incoming&>(*this) = other;
  static_cast<http::RequestControl&>(request) = other.request;
  peer = other.peer;
}

void Exchange::reset() {
  static_cast<Incoming&>(*this) = {};
  // the state of the steps is reset before the upstream is released, because it may hold places there
  if (used) static_cast<StepState&>(*this) = {};
  request.method = request.target = request.authority = request.query = request.upgrade = {};
  request.host.clear();
  request.path.clear();
  request.path_sent.clear();
  request.hides_slash = false;
  request.wire_method = http::WireMethod::same;
  request.fields.clear();
  request.version = 11;
  request.tunnel_by = http::TunnelBy::upgrade;
  request.framing = {};
  body = nullptr;
  reply = nullptr;
  draining = nullptr;
  broken_off = BrokenOff::no;
  client_gone = preflight = instead = drained = false;
  drained_now = nullptr;
  answer_looks = nullptr;
  learned = nullptr;
  attempt = nullptr;
  delay = nullptr;
  request_id = {};
  if (trace) trace.reset();
  if (in_flight.is_linked()) in_flight.unlink();
  left = {};
  snapshot.reset();
  route = nullptr;
  allowed_methods.clear();
  std::destroy_at(&caller);  // construct in place: an assignment would make a temporary first
  ::new (&caller) Caller;
  admission.reset();
  rate_limit = nullptr;
  logged_call = problem_limit = {};
  retry_after = {};
  status = 0;
  ended_by = EndedBy::upstream;
  upstream = server = reason = retried = path_for_server = {};
  grpc_status = observe::GrpcStatus::none;
  grpc_answer = false;
  attempts = 0;
  unanswered = false;
  upstream_time = {};
  awaited = {};
  counted = nullptr;
  body_bytes = 0;
  logged_answer.clear();
  answer.status = 0;
  answer.fields.clear();
  fields.clear();
  text.clear();
}

}  // namespace headgate::gateway
