#include "request_body.hpp"

#include "gateway/admission/messages.hpp"
#include "gateway/exchange/body_problem.hpp"
#include "gateway/forward/forward.hpp"
#include "gateway/limits/unanswered.hpp"

#include <boost/asio/error.hpp>

namespace headgate::gateway {

void RequestBody::fail(const Problem& problem) {
  problem_ = problem;
  server_.cancel();  // wakes the wait for the answer
}

Task<void> RequestBody::run() {
  while (!stopping_) {
    const auto bytes = co_await x_.body->read();
    if (stopping_) break;
    if (bytes.has_error()) {
      note_slow(x_, bytes.error());
      fail(problem_of_body(bytes.error()));
      break;
    }
    if (bytes->empty()) {
      const auto trailers = forward_trailers(x_, x_.body->trailers(), Towards::server);
      const auto ended = co_await server_.finish(trailers);
      delivered_ = ended.has_value();
      break;
    }
    x_.body_bytes += bytes->size();
    if (const auto times = messages_ != nullptr ? messages_->begun(*bytes) : 0; times > 0) {
      auto taking = messages_->take(times);
      const auto problem = co_await taking;
      if (stopping_) break;
      if (problem) {
        fail(*problem);
        break;
      }
    }
    note_asking(x_);
    const auto last = x_.body->ended() && x_.body->trailers().empty() ? http::EndStream::yes : http::EndStream::no;
    const auto sent = co_await server_.write(*bytes, last);
    if (sent.has_error() && sent.error() == boost::asio::error::timed_out) {
      const upstream::Failure failure{
          .what = upstream::Failed::reply_timeout, .cause = sent.error(), .why = upstream::kTakesNoMore};
      x_.reason = failure.why;
      fail(problem_of(failure));
      break;
    }
    // After any other error, the server may already have answered.
    if (sent.has_error()) break;
    if (last == http::EndStream::yes) {
      delivered_ = true;
      break;
    }
  }
  ended_at_ = x_.clock->steady();
}

Task<void> RequestBody::stop() {
  if (child_.done()) co_return;
  stopping_ = true;
  server_.cancel();
  x_.body->cancel();
  co_await child_.join();
}

}  // namespace headgate::gateway
