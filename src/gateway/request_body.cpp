#include "request_body.hpp"

#include "forward.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

namespace headgate::gateway {

Problem problem_of_body(const error_code& cause) {
  if (cause == boost::asio::error::timed_out) {
    return {408, EndedBy::timeout_client, "The request's body did not arrive in time.", {}, 0, {}};
  }
  if (cause == boost::system::errc::message_size) {
    return {413, EndedBy::too_large, "The request's body is larger than is accepted here.", {}, 0, {}};
  }
  if (cause == boost::system::errc::bad_message) {
    return {400, EndedBy::bad_request, "The request's body is not framed as HTTP has it.", {}, 0, {}};
  }
  return {400, EndedBy::client_closed, "The request's body ended too soon.", {}, 0, {}};
}

void RequestBody::fail(const Problem& problem) {
  problem_ = problem;
  server_.stream().interrupt();  // whoever waits for the answer need not
}

Task<void> RequestBody::run() {
  while (!stopping_) {
    const auto bytes = co_await x_.body->read();
    if (stopping_) break;
    if (bytes.has_error()) {
      fail(problem_of_body(bytes.error()));
      break;
    }
    if (bytes->empty()) {
      std::string scratch;
      const auto trailers = forward_trailers(x_.body->trailers(), *x_.snapshot->site);
      const auto ended = co_await server_.output().finish(trailers, scratch, write_timeout_);
      delivered_ = ended.has_value();
      break;
    }
    x_.body_bytes += bytes->size();
    const auto last = x_.body->ended() && x_.body->trailers().empty() ? http::Last::yes : http::Last::no;
    const auto sent = co_await server_.output().write(*bytes, last, write_timeout_);
    if (sent.has_error() && sent.error() == boost::asio::error::timed_out) {
      const upstream::Failure failure{upstream::Failed::reply_timeout, sent.error(), false, upstream::kTakesNoMore};
      x_.reason = failure.why;
      fail(problem_of(failure));
      break;
    }
    // Any other error is not the last word: a server that takes no more may have answered.
    if (sent.has_error()) break;
    if (last == http::Last::yes) {
      delivered_ = true;
      break;
    }
  }
  ended_at_ = std::chrono::steady_clock::now();
}

Task<void> RequestBody::stop() {
  if (child_.done()) co_return;
  stopping_ = true;
  server_.stream().interrupt();
  x_.body->cancel();
  co_await child_.join();
}

}  // namespace headgate::gateway
