#include "room_page.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "page.hpp"

#include <string>

namespace headgate::gateway {
namespace {

std::string filled(std::string text, std::int64_t position, std::optional<Duration> wait) {
  replace_word(text, "{position}", std::to_string(position));
  if (!wait) return text;
  const auto seconds = seconds_up(*wait);
  TextArena arena;
  // A guess of minutes is no better for its seconds.
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
  room.page_middle = "\">\n<title>" + escaped(page.title) + "</title>\n<style>" + style +
                     "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped(page.title) + "</h1>\n<p>" +
                     escaped(page.text) +
                     "</p>\n<div class=\"bar\" aria-hidden=\"true\"><i></i></div>\n"
                     "<div class=\"status\" role=\"status\">\n";
  room.page_end = "</div>\n<p class=\"keep\">" + escaped(page.keep) + "</p>\n</main>\n</body>\n</html>\n";
}

std::string_view room_page(TextArena& text, const CompiledRoom& room, std::int64_t position,
                           std::optional<Duration> wait, std::uint64_t refresh) {
  const auto& page = room.options.page;
  std::string status;
  if (position > 0) status += "<p>" + escaped(filled(page.place, position, wait)) + "</p>\n";
  if (wait) status += "<p>" + escaped(filled(page.wait, position, wait)) + "</p>\n";
  return text.join({room.page_begin, text.number(refresh), room.page_middle, status, room.page_end});
}

}  // namespace headgate::gateway
