#include "headgate/gateway/answer.hpp"

#include "compressed_reply.hpp"
#include "cors.hpp"
#include "gateway/callers/forwarding_headers.hpp"
#include "gateway/forward/edit_fields.hpp"
#include "gateway/forward/forward.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/record/access_record.hpp"
#include "gateway/rooms/room_ticket.hpp"

#include <array>
#include <ctime>
#include <utility>

namespace headgate::gateway {
namespace {

using http::Known;

constexpr unsigned set_of(auto... from) noexcept { return (0U | ... | (1U << static_cast<unsigned>(from))); }

/// A step that adds fields to the head of an answer or replaces fields there.
struct AnswerRow {
  std::string_view name;  ///< name of the field or fields
  unsigned whose;         ///< set of AnswerFrom: the answers that the row applies to
  bool (*applies)(const Exchange& x);
  void (*put)(Exchange& x, const AnswerStart& answer);
};

bool has_edits(const Exchange& x) noexcept { return x.route && x.route->edits; }

void put_date(Exchange& x, const AnswerStart&) { x.fields.push_back({Known::date, "Date", date_now(*x.clock)}); }

/// Returns whether answers have Strict-Transport-Security, which tells browsers to use this host only over https (RFC
/// 6797).
bool has_hsts(const Exchange& x) noexcept { return x.snapshot && !x.snapshot->compiled->hsts().empty(); }

/// Replaces the Strict-Transport-Security field of the server or the route, because a browser obeys only the first of
/// two fields. The field must not be sent without TLS (section 7.2).
void replace_hsts(const Exchange& x, http::Fields& fields) {
  constexpr auto kField = Known::strict_transport_security;
  std::erase_if(fields, [](const http::Field& field) { return field.id == kField; });
  const auto& compiled = *x.snapshot->compiled;
  if (client_uses_tls(x, compiled.identity().address_field))
    fields.push_back({kField, "Strict-Transport-Security", compiled.hsts()});
}

/// The rows in the order in which they run. Fields that a route configures come first, so that the fields that must
/// always be right can replace them. A row runs once for an answer, and no row duplicates a field that may occur only
/// once.
constexpr std::array kAnswerRows{
    // The edits of the route come first so that they cannot undo a later row or change a field of the gateway.
    AnswerRow{.name = "fields of the route",
              .whose = set_of(AnswerFrom::server),
              .applies = has_edits,
              .put = [](Exchange& x, const AnswerStart&) { edit_answer(x, x.fields); }},
    AnswerRow{.name = "fields of the route",
              .whose = set_of(AnswerFrom::route),
              .applies = has_edits,
              .put = [](Exchange& x, const AnswerStart&) { edit_fixed_answer(x, x.fields); }},
    AnswerRow{.name = "fields of the route that are for all answers",
              .whose = set_of(AnswerFrom::gateway),  // not for preflights, whose answers have only CORS fields
              .applies = [](const Exchange& x) { return has_edits(x) && x.route->edits->always; },
              .put = [](Exchange& x,
                        const AnswerStart&) { add_missing_fields(x, x.route->edits->response_fields, x.fields); }},
    // A gateway adds the Date field if the answer has none (RFC 9110 section 6.6.1).
    AnswerRow{.name = "Date",
              .whose = set_of(AnswerFrom::server),
              .applies = [](const Exchange& x) { return !http::has(x.fields, Known::date); },
              .put = put_date},
    AnswerRow{.name = "Date",
              .whose = set_of(AnswerFrom::route, AnswerFrom::gateway, AnswerFrom::preflight),
              .applies = [](const Exchange&) { return true; },
              .put = put_date},
    AnswerRow{
        .name = "RateLimit, RateLimit-Policy, X-RateLimit-*",
        .whose = set_of(AnswerFrom::server, AnswerFrom::tunnel, AnswerFrom::route, AnswerFrom::gateway),
        .applies = [](const Exchange& x) { return x.admission.binding != nullptr; },
        .put = [](Exchange& x,
                  const AnswerStart& answer) { append_limit_fields(x, answer.limits, answer.start.status, x.fields); }},
    AnswerRow{.name = "Waiting-Room-Ticket, or Set-Cookie and Cache-Control",
              .whose = set_of(AnswerFrom::server, AnswerFrom::route, AnswerFrom::gateway),
              .applies = [](const Exchange& x) { return x.route && x.route->room && !x.room.give.empty(); },
              .put = [](Exchange& x, const AnswerStart&) { append_ticket(x, x.fields); }},
    AnswerRow{.name = "Strict-Transport-Security",
              .whose = set_of(AnswerFrom::server, AnswerFrom::route, AnswerFrom::gateway, AnswerFrom::preflight),
              .applies = has_hsts,
              .put = [](Exchange& x, const AnswerStart&) { replace_hsts(x, x.fields); }},
    AnswerRow{.name = "Access-Control-*, Vary",
              .whose = set_of(AnswerFrom::server, AnswerFrom::route, AnswerFrom::gateway),
              .applies = [](const Exchange& x) { return cors_of(x) != nullptr; },
              .put = [](Exchange& x, const AnswerStart&) { replace_cors(x, *cors_of(x), x.fields); }},
    AnswerRow{.name = "X-Request-Id",
              .whose = set_of(AnswerFrom::server, AnswerFrom::tunnel, AnswerFrom::interim, AnswerFrom::route,
                              AnswerFrom::gateway, AnswerFrom::preflight),
              // Requests of the admin interface have no id.
              .applies = [](const Exchange& x) { return !x.request_id.empty(); },
              .put =
                  [](Exchange& x, const AnswerStart&) {
                    x.fields.push_back({Known::unknown, "X-Request-Id", x.request_id});
                  }},
    AnswerRow{.name = "Via",
              .whose = set_of(AnswerFrom::server, AnswerFrom::tunnel, AnswerFrom::interim),
              .applies = [](const Exchange&) { return true; },
              .put = [](Exchange& x, const AnswerStart&) { append_reply_via(x, x.fields); }},
    AnswerRow{.name = "X-Headgate-Status",
              .whose = set_of(AnswerFrom::gateway),
              .applies = [](const Exchange& x) { return x.asked_by == net::AskingProxy::nginx; },
              .put =
                  [](Exchange& x, const AnswerStart& answer) {
                    const auto status = answer.counts_as != 0 ? answer.counts_as : answer.start.status;
                    x.fields.push_back({Known::unknown, "X-Headgate-Status", x.text.number(status)});
                  }},
    // Refusals are small and must stay cheap, so they are not compressed.
    AnswerRow{.name = "none: it is not compressed",
              .whose = set_of(AnswerFrom::gateway),
              .applies = [](const Exchange& x) { return x.compressed != nullptr; },
              .put = [](Exchange& x, const AnswerStart&) { x.compressed->pass_on(); }},
    // This row is the last, because the log records the fields that the client receives.
    AnswerRow{.name = "none: the log notes some",
              .whose = set_of(AnswerFrom::server, AnswerFrom::tunnel, AnswerFrom::route, AnswerFrom::gateway),
              .applies = [](const Exchange& x) { return x.route && x.route->logged; },
              .put = [](Exchange& x, const AnswerStart&) { note_logged_answer(x); }},
};

template <AnswerFrom from, std::size_t at>
void put_row(Exchange& x, const AnswerStart& answer) {
  constexpr auto row = kAnswerRows[at];
  if constexpr ((row.whose & set_of(from)) != 0) {
    if (row.applies(x)) row.put(x, answer);
  }
}

/// Runs the rows for answers from `from`. The compiler unrolls the loop, so no table is read at run time.
template <AnswerFrom from, std::size_t... at>
void put_rows(Exchange& x, const AnswerStart& answer, std::index_sequence<at...>) {
  (put_row<from, at>(x, answer), ...);
}

/// nginx turns every status but 2xx, 401 and 403 into 500 (ngx_http_auth_request_module), so others are sent as 403.
void say_as_auth_request(AnswerStart& answer) noexcept {
  constexpr unsigned kUnauthorized = 401;
  constexpr unsigned kForbidden = 403;
  auto& status = answer.start.status;
  if (answer.counts_as != 0) status = answer.counts_as;
  if (status < 300 || status == kUnauthorized || status == kForbidden) return;
  answer.counts_as = answer.counts_as != 0 ? answer.counts_as : status;
  status = kForbidden;
  answer.start.reason = {};
}

void drop_arrived(http::BodyReader& body) {
  while (!body.ended()) {
    const auto bytes = body.ready();
    if (bytes.has_error() || bytes->empty()) return;
  }
}

}  // namespace

std::string_view date_now(const Clock& clock) {
  thread_local std::time_t made_at = 0;
  thread_local char text[32];
  thread_local std::size_t size = 0;
  if (const auto now = clock.second(); now != made_at) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    made_at = now;
  }
  return {text, size};
}

// This function is not a coroutine because an answer needs no frame for it.
template <AnswerFrom from>
Task<Result<void>> send_answer(Exchange& x, AnswerStart& answer, std::string_view first, http::EndStream last) {
  if constexpr (from == AnswerFrom::gateway) {
    if (x.asked_by == net::AskingProxy::nginx) [[unlikely]]
      say_as_auth_request(answer);
  }
  put_rows<from>(x, answer, std::make_index_sequence<kAnswerRows.size()>());
  answer.start.fields = &x.fields;
  if constexpr (from == AnswerFrom::interim) return x.reply->interim(answer.start);
  x.status = answer.counts_as != 0 ? answer.counts_as : answer.start.status;
  return x.reply->send(answer.start, first, last);
}

template <AnswerFrom from>
Task<void> send_whole(Exchange& x, AnswerStart answer, std::string_view body) {
  drop_arrived(*x.body);
  if (!body.empty()) answer.start.framing = {http::Framing::Kind::length, body.size()};
  const auto first = x.request.head() ? std::string_view{} : body;
  const auto sent = co_await send_answer<from>(x, answer, first, http::EndStream::yes);
  if (sent.has_error()) x.ended_by = sent.error() == compression_failed() ? EndedBy::bug : EndedBy::client_closed;
}

template Task<Result<void>> send_answer<AnswerFrom::server>(Exchange&, AnswerStart&, std::string_view, http::EndStream);
template Task<Result<void>> send_answer<AnswerFrom::tunnel>(Exchange&, AnswerStart&, std::string_view, http::EndStream);
template Task<Result<void>> send_answer<AnswerFrom::interim>(Exchange&, AnswerStart&, std::string_view,
                                                             http::EndStream);
template Task<Result<void>> send_answer<AnswerFrom::gateway>(Exchange&, AnswerStart&, std::string_view,
                                                             http::EndStream);
template Task<void> send_whole<AnswerFrom::route>(Exchange&, AnswerStart, std::string_view);
template Task<void> send_whole<AnswerFrom::gateway>(Exchange&, AnswerStart, std::string_view);
template Task<void> send_whole<AnswerFrom::preflight>(Exchange&, AnswerStart, std::string_view);

}  // namespace headgate::gateway
