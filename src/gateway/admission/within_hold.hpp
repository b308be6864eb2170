#pragma once
// Ends a streamed answer whose cost has reached its hold, unless its limits allow more.

#include "extension.hpp"
#include "gateway/bodies/event_end.hpp"

#include "headgate/http/exchange_io.hpp"
#include "headgate/http/head.hpp"

#include <string>
#include <string_view>

namespace headgate::gateway {

/// A reader in front of the body of an answer (BodyValues::stream_form). When the hold is used up it asks for more
/// permits before it reads on; the bytes that have arrived were sent by then. If nothing is left, the stream ends with
/// its last complete event and the last events of its API. Worker thread only; lives as long as its exchange.
class WithinHold final : public http::BodyReader {
 public:
  WithinHold(Path& path, Exchange& x, http::BodyReader& from);

  bool take_at_most(std::uint64_t most) noexcept override { return from_.take_at_most(most); }
  Result<std::string_view> ready() override;
  Task<Result<std::string_view>> read() override;
  bool ended() const noexcept override { return over_ || from_.ended(); }
  void cancel() noexcept override { from_.cancel(); }
  const http::Fields& trailers() const noexcept override { return over_ ? none_ : from_.trailers(); }

 private:
  std::string_view last_of(std::string_view bytes);

  Exchange& x_;
  http::BodyReader& from_;
  Extension extension_;
  EventEnd end_;
  bool between_events_ = true;  // whether no event is incomplete
  bool ending_ = false;         // whether the stream ends with the event under way
  bool over_ = false;           // whether the last events were returned
  std::string last_;
  const http::Fields none_;
};

}  // namespace headgate::gateway
