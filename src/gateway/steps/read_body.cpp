// Reads the body of a request for the limits that read it, and prepares the reading of its answer.

#include "gateway/answers/compressible.hpp"
#include "gateway/bodies/body_values.hpp"
#include "gateway/bodies/pricing.hpp"
#include "gateway/servers/held_body.hpp"
#include "instead.hpp"
#include "steps.hpp"

#include "headgate/gateway/bodies/assumed_cost.hpp"
#include "headgate/gateway/explain.hpp"

#include <algorithm>
#include <memory>

namespace headgate::gateway {
namespace {

/// Asks the server to report the usage of a stream, unless the client says whether it wants that. A body whose digest
/// or signature is sent stays as it is.
void ask_for_usage(Exchange& x) {
  constexpr std::string_view kAsk = R"("stream_options":{"include_usage":true},)";
  if (!x.bodies->may_ask_usage() || std::ranges::any_of(x.request.fields, is_made_over_bytes)) return;
  if (!x.held->insert_behind('{', kAsk)) return;
  if (auto& framing = x.request.framing; framing.kind == http::Framing::Kind::length) framing.length += kAsk.size();
  x.bodies->usage_asked(kAsk.size());
}

/// Returns the refusal of a request whose body no limit can read.
Problem unreadable(BodyState state) {
  switch (state) {
    case BodyState::too_long:
      return {.status = 413,
              .ended_by = EndedBy::too_large,
              .detail = "Requests are counted here by a value in their body, and this body is too large to be read."};
    case BodyState::no_memory:
      return {.status = 503,
              .ended_by = EndedBy::full,
              .detail =
                  "Requests are counted here by a value in their body, and this gateway holds too many bodies at "
                  "the moment.",
              .retry_after = 1};
    case BodyState::other_type:
      return {.status = 415,
              .ended_by = EndedBy::bad_request,
              .detail =
                  "Requests are counted here by a value in their body. Its Content-Type must be that of JSON or "
                  "of a form."};
    case BodyState::encoded:
      return {.status = 415,
              .ended_by = EndedBy::bad_request,
              .detail = "Requests are counted here by a value in their body, which must not be compressed."};
    default:
      return {.status = 400,
              .ended_by = EndedBy::bad_request,
              .detail = "Requests are counted here by a value in their body, which is malformed or ambiguous."};
  }
}

/// Returns whether the request is refused because its cost could not be told.
bool lacks_price(const Exchange& x) noexcept { return x.bodies->plan().needs_price && price_of_call(x) == nullptr; }

/// Returns the refusal of a request whose body was read, if limits need a value that it does not have.
MaybeProblem refusal_of_read(const Exchange& x) {
  const auto& values = *x.bodies;
  const auto state = values.request_state();
  if (!x.route->model.empty() && !may_change_model(x)) {
    if (state == BodyState::too_long || state == BodyState::no_memory) return unreadable(state);
    return Problem{.status = 400,
                   .ended_by = EndedBy::bad_request,
                   .detail =
                       "This call would be answered by another model, and its body cannot be changed for that: "
                       "the body must be JSON that names a model once, without a digest or signature."};
  }
  if (lacks_price(x))
    return Problem{.status = 400,
                   .ended_by = EndedBy::bad_request,
                   .detail = "Calls are counted by their price here, and the model of this call has none."};
  if (!values.plan().refuses || state == BodyState::absent || (state == BodyState::read && !values.is_ambiguous()))
    return {};
  return unreadable(state);
}

}  // namespace

Task<MaybeProblem> read_body(Path& path, Exchange& x) {
  if (auto problem = prepare_bodies(path, x)) co_return problem;
  if (hides_bodies(x)) co_return MaybeProblem{};
  auto& values = *x.bodies;
  if (!x.body->ended() && values.begin_request(x) == BodyState::read) {
    // One more byte than the bound shows that the body is longer than it.
    if (auto problem = co_await read_ahead(path, x, values.plan().most + 1, &values)) co_return problem;
    if (x.client_gone) co_return MaybeProblem{};
    const bool too_long = x.held->bytes().size() > values.plan().most;
    values.end_request(too_long ? BodyState::too_long : x.body->ended() ? BodyState::read : BodyState::no_memory);
    values.measure(x, x.held->bytes());
    ask_for_usage(x);
  } else {
    values.measure(x, {});
  }
  co_return refusal_of_read(x);
}

MaybeProblem read_lent_body(Path& path, Exchange& x) {
  if (auto problem = prepare_bodies(path, x)) return problem;
  auto& values = *x.bodies;
  if (x.admission.peek || !values.plan().reads_request) return {};
  if (!x.body->ended()) {
    // The live policy has not read the body, so a limit by one of its values cannot decide.
    if (values.plan().keys.empty() && !lacks_price(x)) return {};
    return unreadable(BodyState::too_long);
  }
  if (x.held) values.read_whole_request(x, x.held->bytes());
  values.measure(x, x.held ? x.held->bytes() : std::string_view());
  return refusal_of_read(x);
}

void explain_unread_body(Exchange& x, Explanation& explanation) {
  if (x.route->bodies->reads_request)
    explanation.besides.push_back({"body_is_not_known", "its limits read its body, which is not known here"});
}

bool reads_request(Path& /*path*/, Exchange& x) noexcept { return x.route->bodies->reads_request; }

// The bytes in a tunnel have no cost that could be read.
MaybeProblem prepare_bodies(Path& /*path*/, Exchange& x) {
  if (!x.request.upgrade.empty() && x.route->bodies->refuses_tunnels)
    return Problem{.status = 403,
                   .ended_by = EndedBy::bad_request,
                   .detail = "Calls are counted here by their content, so this connection cannot become a tunnel."};
  x.bodies = std::make_shared<BodyValues>(x.route->bodies);
  x.bodies->next = x.answer_looks;
  if (x.route->bodies->reads_answer) x.answer_looks = x.bodies.get();
  return {};
}

}  // namespace headgate::gateway
