#include "h1_reply.hpp"

namespace headgate::session {

using http::EndStream;

Task<Result<void>> H1Reply::interim(const http::ReplyStart& start) {
  if (x_.request.version < 11) co_return Result<void>{};
  const http::h1::ReplyLine line{
      .status = start.status, .reason = start.reason, .client_version = x_.request.version, .bodiless = true};
  const auto head = http::h1::write_reply_head(x_.reply_head, line, *start.fields, start.framing);
  output_.begin(false);
  co_return co_await output_.send(head, {}, EndStream::no, write_timeout_);
}

Task<Result<void>> H1Reply::send(const http::ReplyStart& start, std::string_view first, EndStream last) {
  started_ = true;
  const auto version = x_.request.version;
  bodiless_ = x_.request.head() || start.status < 200 || start.status == 204 || start.status == 304;
  const bool unknown_end = start.framing.kind == http::Framing::Kind::unknown;
  if (!bodiless_ && unknown_end && version < 11) keeps_ = false;  // closing the connection marks the end of the body
  if (x_.draining && *x_.draining) keeps_ = false;
  // After an error, the rest of the request body is not read.
  if (start.status >= 400 && !body_.ended()) keeps_ = false;
  // A client that got no 100 Continue may omit the body.
  if (wire_.expects_continue && !body_.ended()) keeps_ = false;
  auto connection = keeps_ ? http::h1::ConnectionOption::keep : http::h1::ConnectionOption::close;
  if (start.status == 101) connection = http::h1::ConnectionOption::upgrade;
  const http::h1::ReplyLine line{.status = start.status,
                                 .reason = start.reason,
                                 .client_version = version,
                                 .bodiless = bodiless_,
                                 .connection = connection};
  const auto head = http::h1::write_reply_head(x_.reply_head, line, *start.fields, start.framing);
  output_.begin(!bodiless_ && unknown_end && version >= 11);
  if (bodiless_) first = {};
  const auto sent = co_await output_.send(head, first, last, write_timeout_);
  x_.reply_head.done();
  complete_ = sent.has_value() && last == EndStream::yes;
  co_return sent;
}

Task<Result<void>> H1Reply::write(std::string_view bytes, EndStream last) {
  if (bodiless_ && !tunnel_) co_return Result<void>{};
  const auto sent = co_await output_.write(bytes, last, write_timeout_);
  if (!tunnel_) complete_ = sent.has_value() && last == EndStream::yes;
  co_return sent;
}

Task<Result<void>> H1Reply::finish(const http::Fields& trailers) {
  if (tunnel_) {
    output_.stream().shutdown_send();
    co_return Result<void>{};
  }
  const auto sent = co_await output_.finish(trailers, x_.reply_head, write_timeout_);
  complete_ = sent.has_value();
  co_return sent;
}

void H1Reply::tunnel(Duration timeout) {
  tunnel_ = true;
  complete_ = true;  // the reply has no body
  keeps_ = false;
  body_.timeout(timeout);
  body_.begin({http::h1::WireFraming::Kind::until_close, 0});
  output_.begin(false);
}

}  // namespace headgate::session
