#pragma once
// The messages that the two processes of an upgrade exchange over a socket. The first character of a message is its
// kind.

#include <string_view>

namespace headgate::server {

/// The variable says how many descriptors from 3 on are sockets for clients, and how many after them are for the admin
/// interface: "4 1". The next descriptor is the control socket. A third word says that the old process can hand over
/// its state, and a fourth one that it reads reports of mistakes in the start of the new process. Older versions read
/// two or three words.
inline constexpr std::string_view kHandoverVariable = "HEADGATE_HANDOVER";
inline constexpr int kFirstHanded = 3;
inline constexpr char kServes = 's';
inline constexpr char kWantsState = 'w';
inline constexpr char kState = 'S';    ///< the state: a message with a descriptor, or without one if there is no state
inline constexpr char kMistake = 'm';  ///< a mistake, with its text
inline constexpr std::string_view kGivesState = "state1";
inline constexpr std::string_view kHears = "hears1";

/// Sends a message, together with `descriptor` if that is not negative.
void send_word(int control, char word, int descriptor) noexcept;

}  // namespace headgate::server
