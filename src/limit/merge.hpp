#pragma once
// Asks of one call that mean one counter become one question with the sum of their costs. Used by both stores.

#include "headgate/limit/limit.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace headgate::limit {

/// The questions really asked, in the order of their first mention, and for each ask the one that stands for it.
struct Merged {
  boost::container::static_vector<Ask, kMaxRulesPerRequest> questions;
  boost::container::static_vector<std::uint8_t, kMaxRulesPerRequest> question_of;
};

inline std::int64_t add_capped(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  return std::clamp(a, -kMost, kMost) + std::clamp(b, -kMost, kMost);
}

/// `same(a, b)` says whether two asks mean one counter. At most kMaxRulesPerRequest asks.
template <class Same>
void merge(std::span<const Ask> asks, Same same, Merged& out) {
  for (const Ask& ask : asks) {
    std::size_t at = 0;
    while (at < out.questions.size() && !same(out.questions[at], ask)) ++at;
    if (at == out.questions.size()) {
      out.questions.push_back(ask);
    } else {
      out.questions[at].cost = add_capped(out.questions[at].cost, ask.cost);
    }
    out.question_of.push_back(static_cast<std::uint8_t>(at));
  }
}

}  // namespace headgate::limit
