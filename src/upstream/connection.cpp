#include "headgate/upstream/connection.hpp"

#include <boost/asio/error.hpp>

#include <optional>

namespace headgate::upstream {
namespace {

constexpr http::h1::Limits kReplyLimits{256, 0};
constexpr auto kBetweenBytes = std::chrono::seconds(60);  // where nobody says otherwise

Failure too_large() { return {Failed::head_too_large, {}, false, "the answer's head is larger than head_size"}; }

}  // namespace

Connection::Connection(net::StreamPtr stream, net::Blocks& blocks, Server& server, const Options& options)
    : stream_(std::move(stream)),
      input_(stream_, blocks),
      output_(*stream_),
      body_(input_, kBetweenBytes),
      server_(server),
      head_bytes_(options.head_bytes) {}

Connection::~Connection() { stream_->close(); }

Task<Result<void, Failure>> Connection::read_head(http::ReplyHead& head, std::string_view request_method,
                                                  Duration timeout) {
  // The clock is asked only where the head does not come in one piece.
  std::optional<std::chrono::steady_clock::time_point> until;
  std::size_t scanned = 0;
  std::size_t size = 0;
  while ((size = http::h1::head_size(input_.data(), scanned)) == 0) {
    if (input_.data().size() >= head_bytes_ || (input_.full() && !input_.widen())) co_return too_large();
    // Asked here, for a wait that is over as soon as it begins never comes to its deadline.
    auto got = Result<std::size_t>(error_code(boost::asio::error::timed_out));
    if (timeout > Duration(0)) got = co_await input_.fill(timeout);
    if (got.has_value()) {
      // A head that trickles in has one deadline, not one a byte.
      const auto now = std::chrono::steady_clock::now();
      if (!until) until = now + timeout;
      timeout = std::chrono::duration_cast<Duration>(*until - now);
      continue;
    }
    const bool before_first_byte = input_.data().empty();
    if (got.error() == boost::asio::error::timed_out) co_return Failure{Failed::reply_timeout, got.error(), false, ""};
    co_return Failure{Failed::closed, got.error(), reused_ && before_first_byte, ""};
  }
  if (size > head_bytes_) co_return too_large();
  const auto parsed = http::h1::parse_reply(input_.data().substr(0, size), request_method, kReplyLimits, head);
  if (parsed.has_error()) co_return Failure{Failed::malformed, {}, false, parsed.error().why};
  input_.consume(size);
  reused_ = false;  // from here on the server has seen the request
  keep_alive_ = head.keep_alive;
  body_.begin(head.framing);
  co_return Result<void, Failure>{};
}

http::BodyReader& Connection::tunnel(Duration timeout) {
  keep_alive_ = false;
  body_.timeout(timeout);
  body_.begin({http::Framing::Kind::until_close, 0});
  output_.begin(false);
  return body_;
}

bool Connection::reusable() const noexcept {
  return keep_alive_ && body_.clean() && input_.data().empty() && stream_->is_open() && !stream_->interrupted();
}

}  // namespace headgate::upstream
