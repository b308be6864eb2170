#pragma once
// What the two processes of an upgrade say to each other: words over a socket, of which the first character says which
// one it is.

#include <string_view>

namespace headgate::server {

/// How many descriptors from 3 on are sockets for clients, and how many after them for the admin interface: "4 1". The
/// one after them is the control socket. A third word says that the process gives its state, a fourth one that it hears
/// what is wrong with the start of the new one; older ones read two or three.
inline constexpr std::string_view kHandoverVariable = "HEADGATE_HANDOVER";
inline constexpr int kFirstHanded = 3;
inline constexpr char kServes = 's';
inline constexpr char kWantsState = 'w';
inline constexpr char kState = 'S';    ///< with a descriptor, or without one
inline constexpr char kMistake = 'm';  ///< with what is wrong
inline constexpr std::string_view kGivesState = "state1";
inline constexpr std::string_view kHears = "hears1";

/// A word, with a descriptor if it is not negative.
void send_word(int control, char word, int descriptor) noexcept;

}  // namespace headgate::server
