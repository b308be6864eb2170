#include "within_hold.hpp"

#include "gateway/bodies/body_values.hpp"

namespace headgate::gateway {

WithinHold::WithinHold(Path& path, Exchange& x, http::BodyReader& from)
    : x_(x), from_(from), extension_(path, x), end_(*x.bodies->stream_form()) {}

Result<std::string_view> WithinHold::ready() {
  auto bytes = from_.ready();
  if (bytes.has_value()) between_events_ = end_.pass(*bytes);
  return bytes;
}

Task<Result<std::string_view>> WithinHold::read() {
  x_.bodies->catch_up();
  while (!ending_ && !x_.client_gone && extension_.is_due()) {
    auto taking = extension_.take();
    ending_ = !co_await taking;
    if (ending_) x_.reason = "its stream was ended, because its limit has no permits left for it";
  }
  if (ending_ && between_events_) co_return last_of({});
  auto bytes = co_await from_.read();
  if (bytes.has_error() || bytes->empty()) co_return bytes;
  if (!ending_) {
    between_events_ = end_.pass(*bytes);
    co_return bytes;
  }
  const auto end = end_.find(*bytes);
  if (end == bytes->npos) co_return bytes;
  co_return last_of(bytes->substr(0, end));
}

/// Returns the end of the stream behind these bytes.
std::string_view WithinHold::last_of(std::string_view bytes) {
  over_ = true;
  x_.ended_by = EndedBy::limit;
  x_.bodies->catch_up();
  last_.assign(bytes).append(x_.bodies->last_events());
  return last_;
}

}  // namespace headgate::gateway
