#include "admin/endpoint_groups.hpp"

#include "headgate/observe/families/rooms.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>

namespace headgate::admin {
namespace {

using RoomJson = nlohmann::ordered_json;

RoomJson json_of(const gateway::WaitingRoom& room, const observe::Registry& registry) {
  using namespace observe;
  const LabelValues name = {room.rule.name};
  const auto count = [&](const Family& family) {
    const auto sums = registry.sums(family, name, 0);
    const auto found = sums.find(room.rule.name);
    return found == sums.end() ? std::uint64_t{0} : found->second;
  };
  // Each worker exports the values that it read last. All describe the same queue, so the highest ones are the newest.
  const auto highest = [&](const Family& family) { return registry.gauges(family, name).highest; };
  RoomJson out = {{"room", room.rule.name},
                  {"mode", room.mode == limit::Mode::observe ? "observe" : "enforce"},
                  {"store", room.store == limit::Store::redis ? "redis" : "memory"},
                  {"waiting", highest(family::room_waiting)},
                  {"inside", highest(family::room_inside)},
                  {"visitors", room.rule.visitors},
                  {"wait_seconds", highest(family::room_wait_seconds)}};
  out["admitted"] = count(family::room_admitted);
  out["told_to_wait"] = count(family::room_waits);
  out["lost"] = count(family::room_lost);
  return out;
}

}  // namespace

AdminEndpoint rooms_endpoint(const OperatorBoard& operators, const observe::Registry& registry) {
  return {
      .method = "GET",
      .path = "/api/v1/rooms",
      .answer =
          [&operators, &registry](const AdminCall&) {
            auto rooms = RoomJson::array();
            const auto state = operators.now();
            if (state.active)
              for (const auto& each : state.active->config->gateway.rooms) rooms.push_back(json_of(each, registry));
            return AdminAnswer{.body = services::text_of({{"rooms", std::move(rooms)}}), .type = AdminAnswer::kJson};
          },
      .about = {.summary = "The waiting rooms: who waits, who is inside, and how many came since the start",
                .answer = "Rooms"}};
}

}  // namespace headgate::admin
