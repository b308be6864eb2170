#pragma once
// The results of a simulation: plain numbers, for people, for programs and for comparisons. Used by all parts of
// simulate.

#include "headgate/core/time.hpp"
#include "headgate/simulate/series.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::simulate {

/// One key of a limit.
struct KeyFigures {
  std::string key;  ///< the key as an operator writes it
  std::string tier;
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
};

/// One tier of a limit, or the only size of a limit without tiers.
struct TierFigures {
  std::string name;                ///< name of the tier; empty if the limit has no tiers
  std::vector<std::string> rates;  ///< rates as configured; empty if unlimited, and then the limit checks nothing
  std::uint64_t requests = 0;      ///< requests that the limit checked
  /// number of these requests that the limit rejected; if it only observes, that it would have rejected
  std::uint64_t rejected = 0;
  std::uint64_t keys = 0;
  std::uint64_t keys_rejected = 0;  ///< number of keys with at least one rejected request
  std::uint64_t delayed = 0;        ///< requests that waited for their permit and got it
  Duration delay{0};                ///< the sum of their waits
  Duration longest_delay{0};
  Minute worst;                         ///< the minute with most rejections
  std::uint64_t minutes_rejecting = 0;  ///< number of minutes with a rejection
  /// numbers of requests in each part of the time, as in Figures::requests_series
  std::vector<std::uint64_t> requests_series;
  std::vector<std::uint64_t> rejected_series;
};

struct LimitFigures {
  std::string name;
  /// name of the limit in the configuration; for a part of a limit, `name` also contains the route of the part
  std::string base;
  std::string per;        ///< the key that the limit counts by: "client_ip", "jwt.sub|route"
  bool observed = false;  ///< true if the limit only observes and rejects nobody
  std::vector<TierFigures> tiers;
  std::vector<KeyFigures> worst;  ///< the keys with most rejections first, at most kWorst
  /// Requests of the limit's routes that it could not check, because they lack the key that it counts by, for example a
  /// token or a field.
  std::uint64_t undecided = 0;
  std::uint64_t replaced = 0;  ///< requests that were counted by a replacement of the key from `if_absent`
  /// requests that were counted with their hold, or with `otherwise`, because their cost is not known
  std::uint64_t costs_unknown = 0;
  std::uint64_t banned = 0;  ///< requests that were refused because their key was suspended, or would have been
  std::uint64_t keys_banned = 0;

  static constexpr std::size_t kWorst = 20;
  std::uint64_t requests() const noexcept;
  std::uint64_t rejected() const noexcept;
};

/// A waiting room. Each visitor comes once, because a log does not tell who came again with a ticket.
struct RoomFigures {
  std::string name;
  std::uint64_t admitted = 0;
  std::uint64_t waiting = 0;  ///< requests that were told to wait, or would have been
};

/// The places of an upstream and its servers.
struct UpstreamFigures {
  std::string name;
  std::uint64_t refused = 0;  ///< requests without a place, and requests that were shed
  std::uint64_t queued = 0;   ///< requests that waited for a place and got it
};

/// All results of a run.
struct Figures {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< requests refused by limits, suspensions, rooms and full upstreams
  Instant from{};             ///< time of the first request; zero if there were no requests
  Instant until{};            ///< time of the last request
  Instant series_begin{};
  Duration series_width{0};
  std::vector<std::uint64_t> requests_series;
  std::vector<std::uint64_t> refused_series;
  /// Numbers of requests by what ended them, in the words of the access log, the largest first.
  std::vector<std::pair<std::string, std::uint64_t>> ended_by;
  std::vector<LimitFigures> limits;  ///< the limits in the order of the configuration
  std::vector<RoomFigures> rooms;
  std::vector<UpstreamFigures> upstreams;  ///< upstreams that refused or queued requests
  std::uint64_t keys = 0;                  ///< number of keys of all limits
  std::uint64_t uncounted_keys = 0;        ///< requests of keys beyond the maximum; `keys` is then a lower bound
  /// counters that were evicted for lack of memory, so that their keys started again from zero
  std::uint64_t evicted = 0;
};

/// Returns the share of `part` in `whole`; 0 if `whole` is 0.
constexpr double share_of(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace headgate::simulate
