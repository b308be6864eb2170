#pragma once
// One request on its way through the candidate, beside the exchange that answers it.

#include "gateway/admission/stage_admission.hpp"
#include "gateway/path/path.hpp"
#include "gateway/steps/walk.hpp"

#include "headgate/gateway/candidate.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

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
  Exchange x;                               ///< the same request here
  Exchange* from = nullptr;                 ///< the live exchange; null once that has ended
  std::optional<Walk> walk;                 ///< of `x`, from when it is asked
  std::optional<StageAdmission> admission;  ///< by its limits in Redis, behind `walk`
  Candidate::Said live;   ///< what the live policy said; its key is a view into x.text if Redis is asked
  std::size_t place = 0;  ///< among those of its candidate
  bool deciding = false;  ///< a call to Redis is under way
  bool lent = false;      ///< it has the fields of `from` for now
  bool done = false;      ///< to be released, as soon as nothing is lent
};

/// What the path of a candidate writes, and nobody reads.
struct Candidate::Log {
  observe::AccessLog access;
};

/// The candidate looks at the fields as the live exchange has them, and at what it has found of tokens and passwords;
/// afterwards all of it is back. (Texts of the live exchange are not moved: keys may be views into them.) Until then
/// the exchange of the candidate must not be reset: it has what belongs to the live one. Within another one it does
/// nothing.
class Candidate::Lent {
 public:
  explicit Lent(CandidateExchange& to) noexcept : to_(to), outer_(!std::exchange(to.lent, true)) {
    if (outer_) swap();
  }
  /// What is remembered of passwords, too, and the tokens if both have the same keys.
  Lent(CandidateExchange& to, Path& live, Path& own) noexcept : Lent(to) {
    live_ = &live;
    own_ = &own;
    tokens_ = to.from->snapshot->credentials->jwt() == to.x.snapshot->credentials->jwt();
    swap_memories();
  }
  ~Lent() {
    if (live_ != nullptr) swap_memories();
    if (!outer_) return;
    swap();
    to_.lent = false;
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  void swap() noexcept {
    std::swap(to_.from->request.fields, to_.x.request.fields);
    std::swap(to_.from->answer, to_.x.answer);
  }

  void swap_memories() noexcept {
    std::swap(live_->passwords, own_->passwords);
    if (tokens_) std::swap(live_->tokens, own_->tokens);
  }

  CandidateExchange& to_;
  const bool outer_;
  bool tokens_ = false;
  Path* live_ = nullptr;
  Path* own_ = nullptr;
};

}  // namespace headgate::gateway
