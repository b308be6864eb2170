#pragma once
// The names, versions and marks in the state that one process hands to the next one. A change of what a section has
// raises its version, and an older process leaves it out.

#include <cstdint>
#include <string_view>

namespace headgate::server {

inline constexpr std::string_view kStateMagic = "headgate state 1\n";

inline constexpr std::string_view kLogSection = "log";
inline constexpr std::uint16_t kLogVersion = 1;
inline constexpr std::string_view kServersSection = "servers";
inline constexpr std::uint16_t kServersVersion = 1;
inline constexpr std::string_view kSizesSection = "sizes of servers";
inline constexpr std::uint16_t kSizesVersion = 1;
inline constexpr std::string_view kOverridesSection = "overrides";
inline constexpr std::string_view kBansSection = "suspensions";
inline constexpr std::uint16_t kEntriesVersion = 1;
inline constexpr std::string_view kCountersSection = "counters";
/// Also of keyed_hash(): it names the counters.
inline constexpr std::uint16_t kCountersVersion = 1;
/// The last one: whether everything was written before it.
inline constexpr std::string_view kEndSection = "end";
inline constexpr std::uint16_t kEndVersion = 1;

inline constexpr std::uint8_t kStateDrained = 1;
inline constexpr std::uint8_t kStateDown = 2;

inline constexpr std::uint8_t kCounterSpent = 1;
inline constexpr std::uint8_t kCounterFirst = 2;
inline constexpr std::uint8_t kCounterLogs = 4;

}  // namespace headgate::server
