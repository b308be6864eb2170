#include "opening.hpp"

#include "h2_session.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::session {
namespace {

constexpr std::string_view kTooMany = "This gateway has too many connections. Please try again in a while.\n";

}  // namespace

H2Begin begins_h2(std::string_view bytes) noexcept {
  const auto size = std::min(bytes.size(), kH2Preface.size());
  if (bytes.substr(0, size) != kH2Preface.substr(0, size)) return H2Begin::no;
  return size == kH2Preface.size() ? H2Begin::yes : H2Begin::more;
}

void H2Opening::begin() {
  if (!read_buffer_.data().empty()) return serve();
  begin_wait(clock().steady());
  wait_idle(patience());
}

void H2Opening::reject() {
  if (answer_unread("503 Service Unavailable", kTooMany)) return linger();
  end();
}

void H2Opening::serve() { spawn(read(), "opening"); }

Task<void> H2Opening::read() {
  const auto until = clock().steady() + (read_buffer_.data().empty() && draining() ? kFirstRequest : timeouts().head);
  while (begins_h2(read_buffer_.data()) == H2Begin::more) {
    const auto left = std::chrono::duration_cast<Duration>(until - clock().steady());
    auto got = Result<std::size_t>(error_code(boost::asio::error::timed_out));
    if (left > Duration(0)) got = co_await read_buffer_.fill(left);
    if (got.has_value()) continue;
    peer_.late = got.error() == boost::asio::error::timed_out && !read_buffer_.data().empty();
    if (!peer_.late) co_return end();
    break;
  }
  give_way(nullptr);
}

}  // namespace headgate::session
