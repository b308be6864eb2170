#include "config/words.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

std::string admits(const room::RoomRule& rule) {
  std::string out = "lets in ";
  if (rule.count > 0) out += to_text(Rate{rule.count, rule.period});
  if (rule.visitors > 0) {
    out += rule.count > 0 ? ", and up to " : "up to ";
    out += std::to_string(rule.visitors) + (rule.visitors == 1 ? " visitor" : " visitors") +
           " at the same time (gone after " + to_text(rule.stay) + " without a request)";
  }
  return out;
}

std::string owner(const gateway::WaitingRoom& room) {
  if (room.per.empty()) return "; a ticket is anybody's";
  std::string out;
  for (const auto& each : room.per)
    out += (out.empty() ? "; a ticket belongs to one " : " and ") + each.source->noun(each.name);
  return out + ", which has at most " + std::to_string(room.rule.at_most) + " numbers and places";
}

std::string without_redis(const gateway::WaitingRoom& room) {
  if (room.store == limit::Store::memory) return "; in this gateway's memory";
  switch (room.if_redis_down) {
    case limit::IfRedisDown::allow:
      return "; in Redis, and if that is down everybody is let in";
    case limit::IfRedisDown::reject:
      return "; in Redis, and if that is down everybody waits";
    case limit::IfRedisDown::count_locally:
      break;
  }
  return "; in Redis, and if that is down each gateway goes on with the line";
}

}  // namespace

std::string rooms_in_words(const Config& config) {
  const auto& rooms = config.gateway.rooms;
  if (rooms.empty()) return {};
  std::size_t width = std::string_view("waiting room").size();
  for (const auto& each : rooms) width = std::max(width, each.rule.name.size());
  const auto name = [width](const std::string& text) { return text + std::string(width - text.size() + 2, ' '); };
  std::string out = '\n' + name("waiting room") + "means\n";
  for (const auto& each : rooms) {
    out += name(each.rule.name) + admits(each.rule) + "; a place is kept for " + to_text(each.rule.grace) +
           owner(each) + without_redis(each);
    if (each.mode == limit::Mode::observe) out += "; only observes, lets everybody in";
    out += '\n';
  }
  return out;
}

}  // namespace headgate::config
