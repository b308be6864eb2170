#pragma once
// What a simulation found: plain numbers, for people, for programs and for comparisons.

#include "headgate/core/time.hpp"
#include "headgate/simulate/series.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::simulate {

/// One key of a limit.
struct KeyFigures {
  std::string key;  ///< as an operator writes it
  std::string tier;
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
};

/// One tier of a limit, or the only size of a limit without tiers.
struct TierFigures {
  std::string name;                ///< empty: the limit has no tiers
  std::vector<std::string> rates;  ///< as they are written; empty: unlimited, and the limit is asked about nothing
  std::uint64_t requests = 0;      ///< that the limit was asked about
  std::uint64_t rejected = 0;      ///< of these; of a limit that observes: that it would have rejected
  std::uint64_t keys = 0;
  std::uint64_t keys_rejected = 0;  ///< with at least one rejected request
  std::uint64_t delayed = 0;        ///< requests that waited for their permit, and got it
  Duration delay{0};                ///< of all of these together
  Duration longest_delay{0};
  Minute worst;                                ///< in which it rejects most
  std::uint64_t minutes_rejecting = 0;         ///< in how many minutes it rejects
  std::vector<std::uint64_t> requests_series;  ///< by parts of time, as Figures::timeline
  std::vector<std::uint64_t> rejected_series;
};

struct LimitFigures {
  std::string name;
  std::string base;       ///< its name in the configuration; of a part of a limit `name` has its route, too
  std::string per;        ///< what it counts by: "client_ip", "jwt.sub|route"
  bool observed = false;  ///< it rejects nobody
  std::vector<TierFigures> tiers;
  std::vector<KeyFigures> worst;  ///< those with most rejections first, at most kWorst
  /// Requests of its routes that it could not be asked about, because what it counts by is not there: a token, a field.
  std::uint64_t undecided = 0;
  std::uint64_t replaced = 0;  ///< requests that were counted by what `if_absent` has in place of the key
  std::uint64_t banned = 0;    ///< requests that were refused because their key was suspended, or would have been
  std::uint64_t keys_banned = 0;

  static constexpr std::size_t kWorst = 20;
  std::uint64_t requests() const noexcept;
  std::uint64_t rejected() const noexcept;
};

/// A waiting room; a visitor comes once, as a log does not tell who came again with a ticket.
struct RoomFigures {
  std::string name;
  std::uint64_t admitted = 0;
  std::uint64_t waiting = 0;  ///< were told to wait, or would have been
};

/// The places of an upstream and its servers.
struct UpstreamFigures {
  std::string name;
  std::uint64_t refused = 0;  ///< requests without a place, and such that were shed
  std::uint64_t queued = 0;   ///< requests that waited for a place, and got it
};

/// All of a run.
struct Figures {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< by limits, suspensions, rooms and full upstreams
  Instant from{};             ///< of the first request; without requests nothing
  Instant until{};            ///< of the last one
  Instant series_begin{};
  Duration series_width{0};
  std::vector<std::uint64_t> requests_series;
  std::vector<std::uint64_t> refused_series;
  /// By what ended them, in the words of the access log; those with requests, most first.
  std::vector<std::pair<std::string, std::uint64_t>> ended_by;
  std::vector<LimitFigures> limits;  ///< in the order of the configuration
  std::vector<RoomFigures> rooms;
  std::vector<UpstreamFigures> upstreams;  ///< that refused or queued requests
  std::uint64_t keys = 0;                  ///< of all limits
  std::uint64_t uncounted_keys = 0;  ///< requests of keys beyond those that are kept: keys are then at least so many
  std::uint64_t evicted = 0;         ///< counters that were given up for lack of memory, so that keys began anew
};

/// What share `part` is of `whole`; 0 of nothing.
constexpr double share_of(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace headgate::simulate
