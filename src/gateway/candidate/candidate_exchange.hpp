#pragma once
// A request under the candidate policy, next to the live exchange that answers it.

#include "gateway/admission/stage_admission.hpp"
#include "gateway/path/path.hpp"
#include "gateway/steps/walk.hpp"

#include "headgate/gateway/candidate.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace headgate::gateway {

/// The decision of one of the two policies on a request.
struct Candidate::Said {
  enum class Kind : std::uint8_t { allowed, refused, undecided };
  Kind kind = Kind::allowed;
  Row* row = nullptr;      ///< the limit that refused it; null if none did
  std::string_view key{};  ///< the key at the limit that refused it; empty if no key was involved
  std::uint64_t hash = 0;  ///< hash of that key
  Undecided why = Undecided::live;
};

/// A request under the candidate policy. Pooled by its candidate.
struct CandidateExchange {
  explicit CandidateExchange(Candidate& candidate) noexcept : of(candidate) {}

  Candidate& of;
  Exchange x;                               ///< the exchange of the candidate, with a copy of the request
  std::unique_ptr<RateLimitCall> call;      ///< the call of the rate limit service; null for a request
  Exchange* from = nullptr;                 ///< the live exchange; null once it has ended
  std::optional<Walk> walk;                 ///< the walk of `x` through the steps; set when it begins
  std::optional<StageAdmission> admission;  ///< the admission by limits in Redis, after `walk`
  /// The status of an answer that arrived before Redis decided, and the fields with costs; 0 if there was none. The
  /// texts are in x.text.
  http::ReplyHead kept_answer;
  Candidate::Said live;   ///< decision of the live policy; its key is a view into x.text if Redis is asked
  std::size_t place = 0;  ///< index in the candidate's list
  bool deciding = false;  ///< true while a call to Redis is running
  bool lent = false;      ///< true while `x` has the header fields of `from`
  bool done = false;      ///< true if it must be released as soon as nothing is lent
};

/// An access log that is switched off. It exists because the path of a candidate needs a log.
struct Candidate::Log {
  observe::AccessLog access;
};

/// Lends the candidate the header fields of the live exchange, its results for tokens and passwords and the bytes of
/// its body that it holds, and returns them on destruction. (Texts of the live exchange are not moved, because keys may
/// be views into them.) Until then the candidate's exchange must not be reset, because it holds data of the live one. A
/// Lent inside the scope of another one does nothing.
class Candidate::Lent {
 public:
  explicit Lent(CandidateExchange& to) noexcept : to_(to), outer_(!std::exchange(to.lent, true)) {
    if (outer_) swap();
  }
  /// Also lends the body, the memory of checked passwords, and that of tokens if both configurations have the same
  /// keys.
  Lent(CandidateExchange& to, Path& live, Path& own) noexcept : Lent(to) {
    live_ = &live;
    own_ = &own;
    tokens_ = to.from->snapshot->credentials->jwt() == to.x.snapshot->credentials->jwt();
    swap_memories();
    to_.x.held = to_.from->held;
    to_.x.body = to_.from->body;
  }
  ~Lent() {
    if (live_ != nullptr) {
      swap_memories();
      to_.x.held.reset();
      to_.x.body = nullptr;
    }
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
