#pragma once
// A waiting room as a route uses it: its options, and a compiled form. docs/waiting_room.md explains rooms.

#include "headgate/gateway/fleet_size.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/room/room.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// The page for browsers. All texts are plain text. In `place` and `wait`, the words {position}, {wait} and {minutes}
/// stand for numbers.
struct RoomPage {
  std::string title = "Please wait";
  std::string text = "Many people are here at the moment. You will be let in as soon as it is your turn.";
  std::string place = "You are number {position} in line.";
  std::string wait = "Estimated wait: {wait}.";
  std::string keep = "This page refreshes itself. If you close it, you may lose your place.";
  std::string language = "en";
  std::string colour = "#0b6bcb";       ///< the colour of the accents
  std::string colour_dark = "#6cb6ff";  ///< the colour in dark mode
};

/// A room of the configuration.
struct WaitingRoom {
  room::RoomRule rule;
  /// the key that a ticket belongs to; if empty, any client that has the ticket may use it
  std::vector<limit::Per> per;
  std::vector<std::string> secrets;  ///< the first secret signs, and all of them verify; at least one
  limit::Mode mode = limit::Mode::enforce;
  limit::Store store = limit::Store::memory;
  limit::IfRedisDown if_redis_down = limit::IfRedisDown::count_locally;
  RoomPage page;
};

/// A compiled room. Immutable; shared by all workers.
struct CompiledRoom {
  struct Secret {
    std::string name;  ///< the name in tickets: letters and digits
    std::string text;
  };

  /// The room as one of several gateways applies it while Redis is down.
  struct Alone {
    room::RoomRule rule;
    std::int64_t stride;  ///< the increment between the numbers of newcomers
  };

  CompiledRoom(const WaitingRoom& room, const Sharers& sharers);

  WaitingRoom options;
  std::size_t number = 0;  ///< the index among the rooms of the configuration
  ForSharers<Alone> alone;
  std::vector<Secret> secrets;
  std::string cookie;         ///< the name of the cookie without TLS
  std::string secure_cookie;  ///< the name of the cookie with TLS
  std::string page_begin;     ///< the page up to the number of seconds after which it reloads
  std::string page_middle;    ///< the page after that number, up to the position
  std::string page_end;       ///< the page after the wait
  std::string csp;            ///< Content-Security-Policy of the page
};

/// The field that carries the ticket or pass of a program, in both directions.
inline constexpr std::string_view kTicketField = "Waiting-Room-Ticket";

}  // namespace headgate::gateway
