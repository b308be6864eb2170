#pragma once
// Removes from a streamed answer the chunk with the usage that the gateway asked for and the client did not.

#include "headgate/http/exchange_io.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// A reader in front of the body of an answer in the shape of OpenAI's chat completions (Server-Sent Events). It leaves
/// out events that have usage and no choice (`"choices":[]`): clients that did not ask for them may fail on them. All
/// other bytes pass unchanged. An event waits until its end has arrived, or until it is too long to be such a chunk.
/// Worker thread only; lives as long as its exchange.
class WithoutUsageChunk final : public http::BodyReader {
 public:
  explicit WithoutUsageChunk(http::BodyReader& from) noexcept : from_(from) {}

  bool take_at_most(std::uint64_t most) noexcept override { return from_.take_at_most(most); }
  Result<std::string_view> ready() override { return passed(from_.ready()); }
  Task<Result<std::string_view>> read() override;
  bool ended() const noexcept override { return from_.ended(); }
  void cancel() noexcept override { from_.cancel(); }
  const http::Fields& trailers() const noexcept override { return from_.trailers(); }

 private:
  Result<std::string_view> passed(const Result<std::string_view>& bytes);
  void take(std::string_view bytes);
  void end_event();

  http::BodyReader& from_;
  std::string event_;        // the event under way
  std::string out_;          // the bytes that pass
  std::size_t in_line_ = 0;  // bytes of the line under way, without its end
  bool long_event_ = false;  // whether the event is too long to be such a chunk, so that its bytes pass as they come
};

/// Returns whether an event, with its line ends, is a chunk with usage and without choices.
bool is_usage_chunk(std::string_view event) noexcept;

}  // namespace headgate::gateway
