#pragma once
// The readers that change a streamed answer for the limits of its route, in front of the server's body.

#include "gateway/admission/within_hold.hpp"
#include "gateway/bodies/body_values.hpp"
#include "gateway/bodies/without_usage_chunk.hpp"

#include "headgate/http/exchange_io.hpp"

#include <optional>

namespace headgate::gateway {

/// Lives as long as the answer is relayed. Worker thread only.
class AnswerReaders {
 public:
  /// Returns the reader that the answer is read from, once its head was read (note_told()).
  http::BodyReader& before(Path& path, Exchange& x, http::BodyReader& body) {
    if (!x.bodies) return body;
    auto& shown = x.bodies->drops_usage_chunk() ? without_.emplace(body) : body;
    const bool can_end = x.bodies->plan().extends && x.bodies->stream_form();
    return can_end ? within_.emplace(path, x, shown) : shown;
  }

 private:
  std::optional<WithoutUsageChunk> without_;
  std::optional<WithinHold> within_;
};

}  // namespace headgate::gateway
