#include "respond.hpp"

#include "gateway/steps/settle.hpp"
#include "rewrite.hpp"

namespace headgate::gateway {

template <AnswerFrom from>
Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders limits) {
  x.ended_by = EndedBy::respond;
  if (x.route->takes(Step::settle)) note_status(x, answer.status);
  if (!answer.content_type.empty())
    x.fields.push_back({http::Known::content_type, "Content-Type", answer.content_type});
  if (from == AnswerFrom::route && x.route->edits && x.route->edits->location)
    x.fields.push_back({http::Known::location, "Location", location_of_route(x)});
  const AnswerStart whole{.start = {.status = answer.status}, .limits = limits};
  co_await send_whole<from>(x, whole, answer.body);
  co_return std::nullopt;
}

template Task<std::optional<Problem>> respond<AnswerFrom::route>(Exchange&, const Respond&, RejectionHeaders);
template Task<std::optional<Problem>> respond<AnswerFrom::gateway>(Exchange&, const Respond&, RejectionHeaders);

}  // namespace headgate::gateway
