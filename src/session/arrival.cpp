// Reads the PROXY header at the beginning of a connection. Afterwards, the client is the one that the header names.

#include "arrival.hpp"

#include "headgate/identity/proxy_protocol.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace headgate::session {
namespace {

namespace error = boost::asio::error;
using identity::ProxyHeaderState;

}  // namespace

Arrival::Arrival(Sessions& owner, net::ReadBuffer input, Peer peer, Duration within, net::ServerTlsPtr tls)
    : Session(owner, std::move(input), std::move(peer)), tls_(std::move(tls)), due_(clock().steady() + within) {}

void Arrival::begin() { wait_idle(std::min(patience(), left())); }

Duration Arrival::left() const noexcept {
  return std::max(std::chrono::duration_cast<Duration>(due_ - clock().steady()), Duration(0));
}

void Arrival::serve() { spawn(read(), "arrival"); }

Task<void> Arrival::read() {
  auto next = Next::close;
  const auto got = read_buffer_.fill_now();
  if (got.has_value())
    next = co_await read_header();
  else if (got.error() == error::would_block)
    next = Next::idle;
  if (next == Next::idle) co_return begin();
  // The bounds are checked before TLS and other expensive steps. The proxy itself counts towards no bound.
  const bool refused = next == Next::session && !peer_.source_untold && !admit();
  if (refused) {
    count_refused();
    co_return end();
  }
  count_accepted();
  if (next == Next::session) co_return give_way(std::move(tls_));
  // If the connection were closed with unread bytes, the kernel would reset it.
  if (stream_->is_open() && read_buffer_.fill_now().has_value()) co_return linger();
  end();
}

/// A malformed header gets no answer, because the protocol of the connection is not known yet.
Task<Arrival::Next> Arrival::read_header() {
  identity::ProxyHeader header;
  auto state = identity::read_proxy_header(read_buffer_.data(), header);
  while (state == ProxyHeaderState::more) {
    const auto most = left();
    auto got = Result<std::size_t>(error_code(error::timed_out));
    if (most > Duration(0)) got = co_await read_buffer_.fill(most);
    if (got.has_error()) {
      const bool late = got.error() == error::timed_out;
      observe::event(
          observe::LogLevel::debug, "proxy_header_missing",
          late ? "the PROXY header was not complete in time" : "the connection ended within the PROXY header",
          {{"peer", peer_.text}});
      co_return Next::close;
    }
    state = identity::read_proxy_header(read_buffer_.data(), header);
  }
  if (state == ProxyHeaderState::malformed) {
    observe::event(observe::LogLevel::debug, "proxy_header_malformed",
                   "the PROXY header is malformed, so the connection is closed", {{"peer", peer_.text}});
    co_return Next::close;
  }
  read_buffer_.consume(header.size);
  if (header.source) peer_.speak_for(*header.source);
  peer_.source_untold = !header.source;
  peer_.tls = header.tls;
  peer_.certificate = header.certificate;
  co_return Next::session;
}

}  // namespace headgate::session
