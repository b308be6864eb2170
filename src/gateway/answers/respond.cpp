#include "respond.hpp"

#include "cross_origin.hpp"
#include "fixed_answer.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/rooms/room_ticket.hpp"
#include "gateway/steps/settle.hpp"
#include "hsts.hpp"

namespace headgate::gateway {

Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders style) {
  x.ended_by = EndedBy::respond;
  x.status = answer.status;
  if (x.route->settles) note_status(x, answer.status);
  if (!answer.content_type.empty())
    x.fields.push_back({http::Known::content_type, "Content-Type", answer.content_type});
  if (x.route->edits && x.route->respond && &answer == &*x.route->respond) edit_fixed_answer(x, x.fields);
  x.fields.push_back({http::Known::date, "Date", x.text.join({date_now(*x.clock)})});
  append_limit_fields(x, style, x.fields);
  if (x.route->room) append_pass(x, x.fields);
  if (has_hsts(x)) replace_hsts(x, x.fields);
  if (x.route->cross_origin) replace_cross_origin(x, *x.route->cross_origin, x.fields);
  x.fields.push_back({http::Known::unknown, "X-Request-Id", x.request_id});
  http::ReplyStart start{.status = answer.status, .fields = &x.fields};
  if (!answer.body.empty()) start.framing = {http::Framing::Kind::length, answer.body.size()};
  const auto first = x.request.head() ? std::string_view{} : std::string_view(answer.body);
  const auto sent = co_await x.reply->send(start, first, http::EndStream::yes);
  if (sent.has_error()) x.ended_by = EndedBy::client_closed;
  co_return std::nullopt;
}

}  // namespace headgate::gateway
