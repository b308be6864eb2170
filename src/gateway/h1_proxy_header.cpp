// The PROXY header before a connection's first request: read once, and from then on the connection is its client's.

#include "h1_session.hpp"

#include "headgate/identity/proxy_protocol.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

using Clock = std::chrono::steady_clock;
using identity::ProxyHeaderState;

}  // namespace

void H1Session::expect_proxy_header() noexcept { proxy_header_due_ = Clock::now() + owner_.timeouts_.head; }

Duration H1Session::left_for_proxy_header() const noexcept {
  return std::max(std::chrono::duration_cast<Duration>(*proxy_header_due_ - Clock::now()), Duration(0));
}

/// A header that is not right gets no answer: whoever sends it does not speak HTTP to us, or not yet.
Task<H1Session::Next> H1Session::read_proxy_header() {
  identity::ProxyHeader header;
  auto state = identity::read_proxy_header(input_.data(), header);
  while (state == ProxyHeaderState::more) {
    const auto left = left_for_proxy_header();
    auto got = Result<std::size_t>(error_code(boost::asio::error::timed_out));
    if (left > Duration(0)) got = co_await input_.fill(left);
    if (got.has_error()) {
      const bool late = got.error() == boost::asio::error::timed_out;
      observe::event(observe::LogLevel::debug, "proxy_header_missing", late ? "not whole in time" : "cut short",
                     {{"peer", peer_text_}});
      co_return Next::close;
    }
    state = identity::read_proxy_header(input_.data(), header);
  }
  if (state == ProxyHeaderState::malformed) {
    observe::event(observe::LogLevel::debug, "proxy_header_malformed", "closing its connection",
                   {{"peer", peer_text_}});
    co_return Next::close;
  }
  input_.consume(header.size);
  proxy_header_due_.reset();
  if (header.source) speak_for(*header.source);
  source_untold_ = !header.source;
  client_tls_ = header.tls;
  client_certificate_ = header.certificate;
  co_return input_.data().empty() ? Next::rest : Next::exchange;
}

}  // namespace headgate::gateway
