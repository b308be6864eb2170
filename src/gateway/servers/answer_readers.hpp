#pragma once
// The readers in front of the server's body: those that change a streamed answer for the limits of its route, and the
// one that observes it for the candidate.

#include "gateway/admission/within_hold.hpp"
#include "gateway/bodies/body_values.hpp"
#include "gateway/bodies/without_usage_chunk.hpp"

#include "headgate/gateway/candidate.hpp"
#include "headgate/http/body_look.hpp"

#include <memory>
#include <optional>

namespace headgate::gateway {

/// Lives as long as the answer is relayed, and not longer than the server's body. Worker thread only.
class AnswerReaders {
 public:
  AnswerReaders(Exchange& x, http::BodyReader& server) noexcept
      : looks_(x.answer_looks), observed_(&http::through(looks_, server)) {}
  AnswerReaders(const AnswerReaders&) = delete;
  AnswerReaders& operator=(const AnswerReaders&) = delete;
  ~AnswerReaders() {
    for (auto* look = looks_; look != nullptr; look = look->next) look->catch_up();
    if (of_candidate_) of_candidate_->catch_up();
  }

  /// Returns the reader of what the server sends, without changes for the client; call it after for_client().
  http::BodyReader& observed() noexcept { return of_candidate_ ? *of_candidate_ : *observed_; }

  /// Returns the reader that the answer is read from, once its head was read (note_told()).
  http::BodyReader& for_client(Path& path, Exchange& x) {
    if (x.candidate != nullptr) [[unlikely]]
      of_candidate_ = Candidate::look_at_answer(x);
    if (of_candidate_) of_candidate_->before(*observed_);
    if (!x.bodies) return observed();
    auto& shown = x.bodies->drops_usage_chunk() ? without_.emplace(observed()) : observed();
    const bool can_end = x.bodies->plan().extends && x.bodies->stream_form();
    return can_end ? within_.emplace(path, x, shown) : shown;
  }

 private:
  http::BodyLook* looks_;
  http::BodyReader* observed_;
  std::shared_ptr<http::BodyLook> of_candidate_;  ///< shared, because the candidate may end before the answer
  std::optional<WithoutUsageChunk> without_;
  std::optional<WithinHold> within_;
};

}  // namespace headgate::gateway
