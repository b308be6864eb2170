#pragma once
// Asks of one call that mean one counter become one question with the sum of their costs; and what each way of asking
// means. Used by both stores.

#include "headgate/limit/algorithm.hpp"
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

/// One counter takes in one way: the strictest of those that take anything of it (take, then trial, then charge, then
/// debt).
inline How stricter(const Ask& a, const Ask& b) noexcept {
  if (a.cost <= 0 || b.cost <= 0) return a.cost > 0 ? a.how : b.how;
  return std::min(a.how, b.how);
}

/// `same(a, b)` says whether two asks mean one counter. At most kMaxRulesPerRequest asks. A counter that is asked in
/// several ways is asked in the strictest: what must not be taken alone must not be taken with others either.
template <class Same>
void merge(std::span<const Ask> asks, Same same, Merged& out) {
  for (const Ask& ask : asks) {
    std::size_t at = 0;
    while (at < out.questions.size() && !same(out.questions[at], ask)) ++at;
    if (at == out.questions.size()) {
      out.questions.push_back(ask);
    } else {
      Ask& question = out.questions[at];
      question.how = stricter(question, ask);
      question.cost = add_capped(question.cost, ask.cost);
    }
    out.question_of.push_back(static_cast<std::uint8_t>(at));
  }
}

/// Whether a rule's refusal refuses the call.
inline bool refuses(const Ask& ask, bool allowed) noexcept { return !allowed && ask.how == How::take; }

/// Whether an ask's request has been let through already: it never refuses, whatever its rule says.
inline bool already_through(const Ask& ask) noexcept { return ask.how == How::charge || ask.how == How::debt; }

/// Whether an ask takes, of a call that went through or not.
inline Taken takes(const Ask& ask, bool through, bool allowed) noexcept {
  if (!through || !(allowed || already_through(ask))) return Taken::no;
  return ask.how == How::debt ? Taken::debt : Taken::yes;
}

/// What is let through already is neither refused nor held back.
inline void tell(const Ask& ask, Verdict& verdict) noexcept {
  if (!already_through(ask)) return;
  verdict.allowed = true;
  verdict.retry_after = verdict.delay = Duration(0);
}

}  // namespace headgate::limit
