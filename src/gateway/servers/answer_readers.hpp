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

/// Lives as long as the answer is relayed. Worker thread only.
class AnswerReaders {
 public:
  /// Returns the reader that the answer is read from, once its head was read (note_told()).
  http::BodyReader& before(Path& path, Exchange& x, http::BodyReader& server) {
    if (x.candidate != nullptr) [[unlikely]]
      of_candidate_ = Candidate::look_at_answer(x);
    auto& body = of_candidate_ ? of_candidate_->before(server) : server;
    if (!x.bodies) return body;
    auto& shown = x.bodies->drops_usage_chunk() ? without_.emplace(body) : body;
    const bool can_end = x.bodies->plan().extends && x.bodies->stream_form();
    return can_end ? within_.emplace(path, x, shown) : shown;
  }

 private:
  std::shared_ptr<http::BodyLook> of_candidate_;  ///< shared, because the candidate may end before the answer
  std::optional<WithoutUsageChunk> without_;
  std::optional<WithinHold> within_;
};

}  // namespace headgate::gateway
