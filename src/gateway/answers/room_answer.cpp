#include "room_answer.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "own_body.hpp"
#include "page.hpp"
#include "problem_words.hpp"
#include "retry_fields.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/markup.hpp"
#include "headgate/gateway/answer.hpp"

#include <chrono>
#include <string>

namespace headgate::gateway {
namespace {

std::string filled(std::string text, std::int64_t position, std::optional<Duration> wait) {
  replace_word(text, "{position}", std::to_string(position));
  if (!wait) return text;
  const auto seconds = seconds_up(*wait);
  TextArena arena;
  // For a wait of minutes, exact seconds are of no use.
  const auto rounded = seconds > 90 ? (seconds + 59) / 60 * 60 : seconds;
  replace_word(text, "{wait}", in_words(arena, rounded));
  replace_word(text, "{minutes}", std::to_string((seconds + 59) / 60));
  return text;
}

}  // namespace

void prepare_page(CompiledRoom& room) {
  const auto& page = room.options.page;
  const auto style = page_style(page.colour, page.colour_dark);
  room.csp = page_policy(style, "'self'");
  room.page_begin = page_beginning(page.language, "<meta http-equiv=\"refresh\" content=\"");
  room.page_middle = "\">\n<title>" + markup(page.title) + "</title>\n<style>" + style +
                     "</style>\n</head>\n<body>\n<main>\n<h1>" + markup(page.title) + "</h1>\n<p>" + markup(page.text) +
                     "</p>\n<div class=\"bar\" aria-hidden=\"true\"><i></i></div>\n"
                     "<div class=\"status\" role=\"status\">\n";
  room.page_end = "</div>\n<p class=\"keep\">" + markup(page.keep) + "</p>\n</main>\n</body>\n</html>\n";
}

namespace {

/// Returns the page as a view into `text`. Without a known `position` (0) the page has no sentence about it.
std::string_view room_page(TextArena& text, const CompiledRoom& room, std::int64_t position,
                           std::optional<Duration> wait, std::uint64_t refresh) {
  const auto& page = room.options.page;
  std::string status;
  if (position > 0) status += "<p>" + markup(filled(page.place, position, wait)) + "</p>\n";
  if (wait) status += "<p>" + markup(filled(page.wait, position, wait)) + "</p>\n";
  return text.join({room.page_begin, text.number(refresh), room.page_middle, status, room.page_end});
}

/// Returns problem details (RFC 9457) with the position, the wait and the ticket, for programs.
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
      out.text(visit.give);  // The ticket has only letters, digits, "-", "_" and ".", so it needs no escaping.
      out.character('"');
    }
    write_request_id(out, x.request_id);
  });
}

}  // namespace

// The answer has no limit fields, because they would suggest that permits remain.
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
