#pragma once
// The messages between the two processes of an upgrade: they go over a socket, and the first character gives the kind.

#include <string_view>

namespace headgate::server {

/// The variable says how many descriptors from 3 on are sockets for clients, and how many after them are for the admin
/// interface: "4 1". The next descriptor is the control socket. A third word says that the old process gives its state,
/// and a fourth one that it reads what is wrong with the start of the new one; older versions read two or three words.
inline constexpr std::string_view kHandoverVariable = "HEADGATE_HANDOVER";
inline constexpr int kFirstHanded = 3;
inline constexpr char kServes = 's';
inline constexpr char kWantsState = 'w';
inline constexpr char kState = 'S';    ///< state, with or without a descriptor
inline constexpr char kMistake = 'm';  ///< a mistake, with its text
inline constexpr std::string_view kGivesState = "state1";
inline constexpr std::string_view kHears = "hears1";

/// Sends a message; if `descriptor` is not negative, sends it along.
void send_word(int control, char word, int descriptor) noexcept;

}  // namespace headgate::server
