#pragma once
// Metrics of waiting rooms.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family room_waiting{.name = "headgate_waiting_room_waiting",
                                     .type = Type::gauge,
                                     .labels = {"room"},
                                     .help = "Numbers handed out and not called yet, over all gateways",
                                     .ask = "max by (room) (headgate_waiting_room_waiting)"};
inline constexpr Family room_inside{.name = "headgate_waiting_room_inside",
                                    .type = Type::gauge,
                                    .labels = {"room"},
                                    .help = "Estimated visitors inside a room with `visitors`, over all gateways",
                                    .ask = "max by (room) (headgate_waiting_room_inside)"};
inline constexpr Family room_wait_seconds{.name = "headgate_waiting_room_wait_seconds",
                                          .type = Type::gauge,
                                          .labels = {"room"},
                                          .help = "Estimated wait of a newcomer",
                                          .ask = "max by (room) (headgate_waiting_room_wait_seconds) > 1800"};
inline constexpr Family room_admitted{.name = "headgate_waiting_room_admitted_total",
                                      .type = Type::counter,
                                      .labels = {"room"},
                                      .help = "Callers that a room admitted",
                                      .ask = "sum by (room) (rate(headgate_waiting_room_admitted_total[1m]))"};
inline constexpr Family room_waits{.name = "headgate_waiting_room_waits_total",
                                   .type = Type::counter,
                                   .labels = {"room"},
                                   .help = "Answers that told a caller to wait; each caller gets many",
                                   .ask = "sum by (room) (rate(headgate_waiting_room_waits_total[1m]))"};
inline constexpr Family room_lost{.name = "headgate_waiting_room_lost_total",
                                  .type = Type::counter,
                                  .labels = {"room"},
                                  .help = "Callers who came too late for their place and got a new number",
                                  .ask = "sum by (room) (increase(headgate_waiting_room_lost_total[10m]))"};
inline constexpr Family room_observed{.name = "headgate_waiting_room_observed_total",
                                      .type = Type::counter,
                                      .labels = {"room"},
                                      .help = "Callers admitted by a room in mode `observe` who would have waited",
                                      .ask = "sum by (room) (rate(headgate_waiting_room_observed_total[5m]))"};

}  // namespace headgate::observe::family
