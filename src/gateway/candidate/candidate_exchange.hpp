#pragma once
// One request on its way through the candidate, beside the exchange that answers it.

#include "gateway/path.hpp"

#include "headgate/gateway/candidate.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// What one of the two policies says of a request.
struct Candidate::Said {
  enum class Kind : std::uint8_t { allowed, refused, undecided };
  Kind kind = Kind::allowed;
  Row* row = nullptr;      ///< what refused it
  std::string_view key{};  ///< of the limit that refused it; empty: not by a key
  std::uint64_t hash = 0;  ///< of that key
  Undecided why = Undecided::live;
};

/// Pooled by its candidate.
struct CandidateExchange {
  explicit CandidateExchange(Candidate& candidate) noexcept : of(candidate) {}

  Candidate& of;
  Exchange x;                ///< the same request here
  Exchange* from = nullptr;  ///< the live exchange; null once that has ended
  Candidate::Said live;      ///< what the live policy said; its key is a view into x.text
  bool deciding = false;     ///< a call to Redis is under way
  bool in_turn = false;      ///< it would wait where no permit is free
};

/// What the path of a candidate writes, and nobody reads.
struct Candidate::Log {
  observe::AccessLog access;
};

/// The candidate looks at the fields as the live exchange has them, and at the tokens that it has verified; afterwards
/// all of it is back. (Texts of the live exchange are not moved: keys may be views into them.)
class Candidate::Lent {
 public:
  Lent(Exchange& from, Exchange& to) noexcept : from_(from), to_(to) { swap(); }
  /// The tokens, too, if both have the same keys.
  Lent(Exchange& from, Exchange& to, Path& live, Path& own) noexcept : Lent(from, to) {
    if (from.snapshot->key_overrides->jwt() != to.snapshot->key_overrides->jwt()) return;
    live_ = &live;
    own_ = &own;
    std::swap(live_->tokens, own_->tokens);
  }
  ~Lent() {
    swap();
    if (live_ != nullptr) std::swap(live_->tokens, own_->tokens);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  void swap() noexcept {
    std::swap(from_.request.fields, to_.request.fields);
    std::swap(from_.answer, to_.answer);
  }

  Exchange& from_;
  Exchange& to_;
  Path* live_ = nullptr;
  Path* own_ = nullptr;
};

}  // namespace headgate::gateway
