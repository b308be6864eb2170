// The keys of waiting rooms, and checks of their values.

#include "config/table_shapes.hpp"
#include "config/text/report.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/waiting_room.hpp"
#include "headgate/room/room.hpp"

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

/// Checks a name, which must be usable as part of a cookie's name.
std::optional<LiteralError> check_room_name(std::string_view text) {
  if (!text.empty() && text.size() <= 64 && all_alnum(text, "-_")) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a waiting room's name",
                      "use up to 64 letters, digits, '-' and '_': it is part of a cookie's name"};
}

std::optional<LiteralError> check_colour(std::string_view text) {
  const auto is_hex = [](char c) { return hex_value(c) >= 0; };
  const bool fits = (text.size() == 4 || text.size() == 7) && text.front() == '#' &&
                    std::all_of(text.begin() + 1, text.end(), is_hex);
  if (fits) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a colour", R"(write it as in "#0b6bcb")"};
}

std::optional<LiteralError> check_language(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; };
  if (text.size() >= 2 && text.size() <= 35 && std::all_of(text.begin(), text.end(), fits)) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a language", R"(write its code, as in "de" or "pt-BR")"};
}

std::optional<LiteralError> check_sentence(std::string_view text) {
  constexpr std::array<std::string_view, 3> kWords{"position", "wait", "minutes"};
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const auto word = text.substr(at + 1, text.find('}', at) - at - 1);
    if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) continue;
    return LiteralError{in_quotes("{" + std::string(word) + "}") + " is not a placeholder here",
                        "the placeholders are {position}, {wait} and {minutes}"};
  }
  return std::nullopt;
}

constexpr Shape kSentence = text("text", check_sentence);
constexpr Shape kColour = text("a colour", check_colour);
constexpr Shape kLanguage = text("a language", check_language);
constexpr Key kPageKeys[] = {
    {"title", &kText, kOfOptions, R"("The sale has begun")", "Heading, and title of the tab",
     into<&gateway::RoomPage::title>},
    {"text", &kText, kOfOptions, R"("Thank you for your patience.")", "Text below the heading",
     into<&gateway::RoomPage::text>},
    {"place", &kSentence, kOfOptions, R"("Vor dir: {position}")",
     "The caller's place; `{position}` is the number of admissions before it", into<&gateway::RoomPage::place>},
    {"wait", &kSentence, kOfOptions, R"("Noch etwa {minutes} Minuten")",
     "Estimated wait: `{wait}` in English words, or `{minutes}`", into<&gateway::RoomPage::wait>},
    {"keep", &kText, kOfOptions, R"("Bitte diese Seite offen lassen.")", "Small print", into<&gateway::RoomPage::keep>},
    {"language", &kLanguage, kOfOptions, R"("de")", "Language of these texts, for screen readers",
     into<&gateway::RoomPage::language>},
    {"colour", &kColour, kOfOptions, R"("#b4232a")", "Accent colour", into<&gateway::RoomPage::colour>},
    {"colour_dark", &kColour, kOfOptions, R"("#ff8a80")", "Accent colour in dark mode",
     into<&gateway::RoomPage::colour_dark>},
};
constexpr Section kPage{"waiting_page", "waiting_rooms.<name>.page",
                        "The waiting page for browsers. It has no script, loads nothing, and refreshes itself.",
                        kPageKeys};
constexpr Shape kPageShape = section(kPage);

constexpr Shape kRoomRate{.form = Shape::Form::rate, .what = "a rate"};
constexpr Shape kVisitors = integer(1, room::kMaxVisitors);
constexpr Shape kAtMost = integer(1, room::kMaxAtMost);
constexpr Shape kOwner = text("a key", check_per);
constexpr Shape kOwners = list("a list of keys", kOwner, 0, 8);
constexpr const Shape* kOwnerForms[] = {&kOwner, &kOwners};
constexpr Shape kOwnerOrOwners{
    .form = Shape::Form::either, .what = "a key, or a list of them", .registered = per_words, .forms = kOwnerForms};
constexpr Shape kRoomSecret = text("a secret", check_not_empty);
constexpr Shape kRoomMode = choice(kModes);
constexpr Shape kRoomStore = choice(kStores);
constexpr Key kRoomKeys[] = {
    {"rate", &kRoomRate, "", R"("50/second")",
     "Visitors admitted per period of at most an hour, over all gateways together"},
    {"visitors", &kVisitors, "", "2000",
     "Visitors inside at the same time, over all gateways together; exact for small numbers, an estimate for large "
     "ones",
     into<&gateway::WaitingRoom::rule, &room::RoomRule::visitors>},
    {"secret", &kRoomSecret, "", R"("${HEADGATE_ROOM_SECRET}")", "Secret that signs tickets, the same on all gateways",
     required},
    {"previous_secret", &kRoomSecret, "", R"("${HEADGATE_ROOM_SECRET_BEFORE}")",
     "Earlier secret whose tickets are still accepted; keep it for a day after a change"},
    {"grace", &kDuration, "2m", R"("2m")", "How long a place is kept for a caller whose turn has come; at least 10s",
     into<&gateway::WaitingRoom::rule, &room::RoomRule::grace>},
    {"stay", &kDuration, "10m", R"("15m")",
     "Time without a request after which a visitor counts as gone and its place is free, up to an eighth sooner. At "
     "least 10s, and at least `grace`",
     into<&gateway::WaitingRoom::rule, &room::RoomRule::stay>},
    {"per", &kOwnerOrOwners, R"("client_ip")", R"("cookie:session")",
     "Owner of a ticket, so that copies are worthless to others; keys as for `limits.<name>.per`. Not accepted: `jwt`, "
     "`basic` and `auth` (unknown before the room), `host`, `route`, `upstream` and `total` (shared by many). An empty "
     "list: anyone who has the ticket"},
    {"at_most", &kAtMost, "32", "100",
     "Places in the line and inside that one owner (`per`) can hold; further newcomers of the owner share its newest "
     "places",
     into<&gateway::WaitingRoom::rule, &room::RoomRule::at_most>},
    {"page", &kPageShape, "", R"({ "title": "The sale has begun", "colour": "#b4232a" })",
     "Texts and colours of the page for browsers", into<&gateway::WaitingRoom::page>},
    {"store", &kRoomStore, "", R"("memory")",
     "Where the line is kept. Default: `redis` if there is a `redis` block, otherwise `memory`",
     into<&gateway::WaitingRoom::store>},
    {"mode", &kRoomMode, kOfOptions, R"("observe")",
     "`observe` counts who would have waited, but admits everybody at once", into<&gateway::WaitingRoom::mode>},
    {"if_redis_down", &kIfDown, "", R"("reject")",
     "While Redis is unavailable: `allow` admits everybody, `reject` admits nobody new, `count_locally` continues the "
     "line in each gateway. Default: `redis.if_down`",
     into<&gateway::WaitingRoom::if_redis_down>},
};

}  // namespace

constexpr Section kRoomSection{
    .name = "waiting_room",
    .path = "waiting_rooms.<name>",
    .doc = "A line for visitors beyond a rate or a number; they are admitted one after the other.",
    .keys = kRoomKeys};
constexpr Shape kRoomShape = section(kRoomSection);
constexpr Shape kRoomMap = map("an object of waiting rooms by name", kRoomShape, 0, check_room_name);

}  // namespace headgate::config
