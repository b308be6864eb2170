#include "room_answer.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "own_body.hpp"
#include "problem_words.hpp"
#include "retry_fields.hpp"
#include "room_page.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/gateway/answer.hpp"

#include <chrono>

namespace headgate::gateway {
namespace {

/// Problem details (RFC 9457) with what a program needs to wait: its position, the wait, and the ticket.
std::string_view json_of(Exchange& x, const Problem& problem) {
  const auto& visit = x.room;
  constexpr std::size_t kAround = 512;
  const auto& name = x.route->room->options.rule.name;
  const auto most =
      kAround + kMaxJsonBytes * (problem.detail.size() + name.size() + x.request_id.size()) + visit.give.size();
  return x.text.write(most, [&](TextCursor& out) {
    out.word(
        "{ \"type\": \"about:blank\", \"title\": \"Too Many Requests\", \"status\": 429, \"code\": \"waiting_room\",\n "
        " \"detail\": \"");
    write_json_text(out, problem.detail);
    out.word("\",\n  \"waiting_room\": \"");
    write_json_text(out, name);
    out.character('"');
    if (visit.position > 0) {
      out.word(", \"position\": ");
      out.number(static_cast<std::uint64_t>(visit.position));
    }
    if (visit.wait) {
      out.word(", \"estimated_wait\": ");
      out.number(seconds_up(*visit.wait));
    }
    out.word(", \"retry_after\": ");
    out.number(problem.retry_after);
    if (!visit.give.empty() && !visit.cookie) {
      out.word(",\n  \"ticket\": \"");
      out.text(visit.give);  // only letters, digits, "-", "_" and "."
      out.character('"');
    }
    write_request_id(out, x.request_id);
  });
}

}  // namespace

// The numbers of limits are not told: they would say that there are permits left.
Task<void> send_wait(Exchange& x, const Problem& problem) {
  x.ended_by = problem.ended_by;
  x.retry_after = std::chrono::seconds(problem.retry_after);
  x.fields.clear();
  const auto& room = *x.route->room;
  const auto retry_after = x.text.number(problem.retry_after);
  append_retry_fields(x, problem, retry_after);
  if (x.room.page) x.fields.push_back({http::Known::unknown, "Refresh", retry_after});
  const auto& chosen = body_chosen_for(x);
  const bool own = !x.room.page && is_own(chosen);
  const std::string_view type = x.room.page ? "text/html; charset=utf-8" : "application/problem+json";
  if (!own) x.fields.push_back({http::Known::content_type, "Content-Type", type});
  if (x.room.page) {
    x.fields.push_back({http::Known::unknown, "Content-Security-Policy", room.csp});
    x.fields.push_back({http::Known::unknown, "X-Content-Type-Options", "nosniff"});
  }
  x.fields.push_back({http::Known::cache_control, "Cache-Control", "no-store"});
  x.fields.push_back({http::Known::vary, "Vary", "Accept"});
  const auto body = x.room.page ? room_page(x.text, room, x.room.position, x.room.wait, x.room.refresh)
                    : own       ? append_own_body(x, problem, chosen)
                                : json_of(x, problem);
  const AnswerStart answer{.start = {.status = problem.status}};
  return send_whole<AnswerFrom::gateway>(x, answer, body);
}

}  // namespace headgate::gateway
