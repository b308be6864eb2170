#include "respond.hpp"

#include "file_part.hpp"
#include "gateway/forward/rewrite.hpp"
#include "gateway/limits/settle.hpp"

namespace headgate::gateway {

template <AnswerFrom from>
Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders limits) {
  x.ended_by = EndedBy::respond;
  FilePart part{answer.status, answer.body};
  if (from == AnswerFrom::route && !answer.etag.empty() && (x.request.method == "GET" || x.request.head()))
    part = part_of_file(x, answer);
  if (x.route->takes(Step::settle)) note_status(x, part.status);
  if (!answer.content_type.empty() && (part.status == answer.status || part.status == 206))
    x.fields.push_back({http::Known::content_type, "Content-Type", answer.content_type});
  if (from == AnswerFrom::route && x.route->edits && x.route->edits->location)
    x.fields.push_back({http::Known::location, "Location", location_of_route(x)});
  const AnswerStart whole{.start = {.status = part.status}, .limits = limits};
  co_await send_whole<from>(x, whole, part.body);
  co_return std::nullopt;
}

template Task<std::optional<Problem>> respond<AnswerFrom::route>(Exchange&, const Respond&, RejectionHeaders);
template Task<std::optional<Problem>> respond<AnswerFrom::gateway>(Exchange&, const Respond&, RejectionHeaders);

}  // namespace headgate::gateway
