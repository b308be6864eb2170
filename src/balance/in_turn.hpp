#pragma once
// Round robin by share. Only for policies.

#include "eligible_servers.hpp"

namespace headgate::balance {

/// Returns the server whose turn it is among those for which `may` is true; empty if there is none. With equal shares
/// the servers take turns. Otherwise the turns are points on a line on which each server has as much room as its share.
/// The distance from each point to the next is the golden section of the line, which spreads any number of turns evenly
/// over it (Steinhaus' three gaps). Of any N consecutive turns, a server gets its share, give or take two or three.
template <class May>
std::optional<std::size_t> in_turn(const EligibleServers& eligible, std::uint64_t turn, May may) {
  std::uint64_t count = 0;
  std::uint64_t line = 0;
  std::uint64_t first = 0;
  bool equal = true;
  for (std::size_t at = 0; at < eligible.size(); ++at) {
    if (!may(at)) continue;
    const auto share = eligible.share(at);
    if (count++ == 0) first = share;
    equal = equal && share == first;
    line += share;
  }
  if (count == 0) return std::nullopt;
  constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
  auto point = equal ? turn % count : ((turn * kGolden >> 32) * line) >> 32;
  for (std::size_t at = 0;; ++at) {
    if (!may(at)) continue;
    const auto room = equal ? 1 : eligible.share(at);
    if (point < room) return at;
    point -= room;
  }
}

/// Returns the server with the fewest requests in flight for its share; among equal ones, the one whose turn it is.
inline std::optional<std::size_t> least_loaded(const EligibleServers& eligible, std::uint64_t turn) {
  std::optional<std::size_t> best;
  for (std::size_t at = 0; at < eligible.size(); ++at)
    if (eligible.has(at) && (!best || eligible.less_loaded(at, *best))) best = at;
  if (!best) return std::nullopt;
  return in_turn(eligible, turn,
                 [&eligible, best](std::size_t at) { return eligible.has(at) && !eligible.less_loaded(*best, at); });
}

}  // namespace headgate::balance
