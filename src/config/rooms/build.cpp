// Builds the waiting rooms, and finds which routes have one.

#include "config/build.hpp"

#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/room/room.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace headgate::config {
namespace {

using namespace std::chrono_literals;
using gateway::Needs;

constexpr Duration kMinGrace = 10s;
constexpr Duration kShortGrace = 30s;
// in bytes; an attacker can check guesses offline, and write tickets with the right secret
constexpr std::size_t kShortRoomSecret = 32;

class RoomBuilder {
 public:
  RoomBuilder(Build& build, const Node& node) : build_(build), report_(build.report), node_(node) {}

  gateway::WaitingRoom run() {
    auto& rule = out_.rule;
    rule.name = node_.key;
    rule.grace = 2min;
    rule.stay = 10min;
    rule.at_most = 32;
    out_.store = build_.config.redis ? limit::Store::redis : limit::Store::memory;
    read_choice(find(&build_.root, "redis"), "if_down", kIfRedisDown, out_.if_redis_down);
    fill(&node_, kRoomSection, out_);
    size();
    times();
    owner();
    secrets();
    store();
    page();
    return std::move(out_);
  }

 private:
  void size() {
    const Node* rate = text_at(&node_, "rate");
    const Node* visitors = find(&node_, "visitors");
    if (find(&node_, "rate") == nullptr && visitors == nullptr) {
      report_.error_at_key(code::kMissing, node_,
                           "a waiting room lets visitors in by a \"rate\", or up to a number of \"visitors\"",
                           R"(add "rate": "50/second", or "visitors": 2000, or both)");
    }
    if (rate == nullptr) return;
    const auto parsed = parse_rate(rate->text);
    if (parsed.has_error()) return;
    if (parsed->month || parsed->period > room::kMaxPeriod || parsed->period < 1s || parsed->count > room::kMaxCount) {
      report_.error(code::kRange, *rate,
                    "a waiting room's rate has a period from a second to an hour, and at most " +
                        std::to_string(room::kMaxCount) + " admissions in it",
                    R"(write it by a shorter period, as in "50/second")");
      return;
    }
    out_.rule.count = parsed->count;
    out_.rule.period = parsed->period;
    const auto in_two_seconds = static_cast<std::int64_t>(parsed->count) * 2'000'000 / parsed->period.count();
    out_.rule.burst = std::max<std::int64_t>(in_two_seconds, 1);
  }

  void times() {
    auto& rule = out_.rule;
    const Node* grace = text_at(&node_, "grace");
    const Node* stay = text_at(&node_, "stay");
    if (rule.grace < kMinGrace) {
      report_.error(code::kRange, *grace,
                    "the waiting page asks again every few seconds, so within " + to_text(rule.grace) +
                        " a caller would lose its place before it learns that its turn has come",
                    R"(write at least "30s")");
    } else if (rule.grace < kShortGrace) {
      report_.warning(code::kConflict, *grace,
                      "a phone that sleeps for a moment loses its place within " + to_text(rule.grace),
                      R"(write at least "30s")");
    }
    if (rule.stay < kMinGrace) {
      report_.error(code::kRange, *stay,
                    "a visitor who reads one page for longer than " + to_text(rule.stay) + " would count as gone",
                    R"(write the longest time that people spend on one page, as in "10m")");
    }
  }

  void owner() {
    const Node* written = find(&node_, "per");
    if (written == nullptr)
      out_.per = {*parse_per("client_ip")};
    else
      out_.per = build_key(build_, written);
    for (const auto& per : out_.per) {
      const auto* const source = per.source;
      if (source->needs == Needs::token) {
        report_.error(code::kConflict, *written,
                      "callers wait before their tokens are verified, so a ticket cannot belong to " +
                          in_quotes(gateway::to_text(per)),
                      R"(write "client_ip", "api_key", or "cookie:<name>" of the session)");
      } else if (source->needs == Needs::user) {
        report_.error(code::kConflict, *written,
                      "callers wait before their passwords are checked, so a ticket cannot belong to " +
                          in_quotes(gateway::to_text(per)),
                      R"(write "client_ip", "api_key", or "cookie:<name>" of the session)");
      } else if (source->needs == Needs::service) {
        report_.error(code::kConflict, *written,
                      "callers wait before the auth service is asked, so a ticket cannot belong to " +
                          in_quotes(gateway::to_text(per)),
                      R"(write "client_ip", "api_key", or "cookie:<name>" of the session)");
      } else if (source->counts != gateway::Counts::callers) {
        report_.error(code::kConflict, *written, in_quotes(gateway::to_text(per)) + " does not tell callers apart",
                      R"(write "client_ip", or [] for tickets that anybody may use)");
      }
    }
    bound();
  }

  /// Returns whether a caller can send as many different values of this key as it likes.
  bool is_chosen(const limit::Per& per) const {
    const auto needs = per.source->needs;
    if (needs == Needs::api_key) return !build_.config.identity.api_key.any_known();
    return per.source->counts == gateway::Counts::callers &&
           (needs == Needs::field || needs == Needs::cookie || needs == Needs::part);
  }

  /// Sets how many numbers one owner may have. Warns if a caller can pretend to be any number of owners.
  void bound() {
    const Node* at_most = find(&node_, "at_most");
    const Node* written = find(&node_, "per");
    if (out_.per.empty() && written != nullptr && written->kind == Kind::list) {
      out_.rule.at_most = 0;
      if (!written->children.empty()) return;
      report_.warning(
          code::kBelieved, *written,
          "tickets of this room have no owner, so one caller who sends no ticket can take every number and "
          "place",
          R"(write "per": "client_ip", or let the routes of this room have a limit in memory per client_ip)");
      if (at_most != nullptr)
        report_.warning_at_key(code::kNoEffect, *at_most,
                               "\"at_most\" has no effect: tickets of this room have no owner", "remove it");
      return;
    }
    const auto chosen =
        std::find_if(out_.per.begin(), out_.per.end(), [this](const auto& each) { return is_chosen(each); });
    if (chosen == out_.per.end()) return;
    report_.warning(
        code::kBelieved, *written,
        "a caller can send as many values of " + in_quotes(gateway::to_text(*chosen)) +
            " as it likes, and each value may hold " + std::to_string(out_.rule.at_most) +
            " numbers and places, so one caller can take all of them",
        chosen->source->needs == Needs::api_key
            ? kNameKeys
            : R"(write "per": "client_ip", or let the routes of this room have a limit in memory per client_ip)");
  }

  void secrets() {
    for (const char* key : {"secret", "previous_secret"}) {
      const Node* each = text_at(&node_, key);
      if (each == nullptr || each->text.empty()) continue;
      auto& all = out_.secrets;
      if (!all.empty() && all.front() == each->text) {
        report_.error(code::kDuplicate, *each, "this is the same as \"secret\"", "remove one of the two");
        continue;
      }
      if (each->text.size() < kShortRoomSecret)
        report_.warning(code::kGuessable, *each,
                        "a secret of " + std::to_string(each->text.size()) +
                            " bytes can be guessed, and anyone who knows it can write tickets",
                        "make one of 32 or more: openssl rand -hex 24");
      all.push_back(each->text);
    }
  }

  void store() {
    if (out_.store == limit::Store::redis && find(&build_.root, "redis") == nullptr) {
      report_.error(code::kUnresolved, *find(&node_, "store"),
                    "this waiting room is kept in Redis, but there is no \"redis\" block",
                    R"(add "redis": { "url": "redis://127.0.0.1:6379" }, or write "store": "memory")");
    }
    const Node* down = find(&node_, "if_redis_down");
    if (down != nullptr && out_.store == limit::Store::memory) {
      report_.warning_at_key(code::kNoEffect, *down,
                             "\"if_redis_down\" has no effect: this waiting room is kept in this gateway's memory",
                             "remove it");
    }
  }

  void page() {
    const Node* written = find(&node_, "page");
    if (written != nullptr && out_.mode == limit::Mode::observe) {
      report_.warning_at_key(code::kNoEffect, *written,
                             "\"page\" has no effect: this room only observes, so nobody sees it", "remove \"mode\"");
    }
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  gateway::WaitingRoom out_;
};

/// Returns whether a browser can open a page on this route.
bool takes_get(const gateway::RouteOptions& route) {
  const auto& methods = route.methods;
  return methods.empty() || std::find(methods.begin(), methods.end(), "GET") != methods.end();
}

}  // namespace

void build_rooms(Build& build) {
  for (const Node* each : children(find(&build.root, "waiting_rooms"), Kind::object)) {
    if (each->kind != Kind::object) continue;
    build.config.gateway.rooms.push_back(RoomBuilder(build, *each).run());
    build.room_nodes.push_back(each);
  }
}

void check_rooms(Build& build) {
  const auto& rooms = build.config.gateway.rooms;
  std::vector<bool> used(rooms.size());
  std::vector<bool> shown(rooms.size());
  for (std::size_t i = 0; i < build.config.gateway.routes.size(); ++i) {
    const auto& route = build.config.gateway.routes[i];
    if (route.waiting_room.empty()) continue;
    const auto room = std::find_if(rooms.begin(), rooms.end(),
                                   [&](const auto& each) { return each.rule.name == route.waiting_room; });
    if (room == rooms.end()) {
      const Node* written = text_at(build.route_nodes[i], "waiting_room");
      const auto help = suggestion(written->text, build.room_nodes, build.report);
      build.report.error(code::kUnresolved, *written, "no waiting room is named " + in_quotes(written->written),
                         help.empty() ? R"(add "waiting_rooms": { ")" + written->written +
                                            R"(": { "rate": "50/second", "secret": "${HEADGATE_ROOM_SECRET}" } })"
                                      : help);
      // A room that a misspelt name probably means does not count as unused.
      if (const Node* near = nearest_node(written->text, build.room_nodes))
        for (std::size_t at = 0; at < rooms.size(); ++at)
          if (rooms[at].rule.name == near->key) used[at] = shown[at] = true;
      continue;
    }
    const auto at = static_cast<std::size_t>(room - rooms.begin());
    used[at] = true;
    shown[at] = shown[at] || takes_get(route);
  }
  for (std::size_t at = 0; at < rooms.size(); ++at) {
    const Node& node = *build.room_nodes[at];
    if (!used[at]) {
      build.report.warning_at_key(code::kUnused, node, "waiting room " + in_quotes(node.key) + " is used by no route",
                                  "name it in a route: \"waiting_room\": " + in_quotes(node.key) + ", or remove it");
    } else if (const Node* page = find(&node, "page"); page != nullptr && !shown[at]) {
      build.report.warning_at_key(code::kNoEffect, *page,
                                  "\"page\" has no effect: no route of this room takes GET, so no browser shows it",
                                  "remove it");
    }
  }
}

}  // namespace headgate::config
