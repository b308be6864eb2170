#include "headgate/net/tls/tls.hpp"

#include "tls_transport.hpp"

namespace headgate::net {

Task<Result<void, TlsError>> shake_hands(Stream& stream, TlsTransport& tls, std::chrono::steady_clock::time_point until,
                                         HandshakeTurns::Place* place) {
  error_code ec;
  while (true) {
    if (!stream.is_open() || stream.interrupted()) ec = boost::asio::error::operation_aborted;
    if (ec) break;
    auto wants = TlsTransport::Wants::read;
    ec = tls.shake_hands(wants);
    if (ec != boost::asio::error::would_block) break;
    const auto left = std::chrono::duration_cast<Duration>(until - SteadyClock::now());
    if (left <= Duration(0)) {
      ec = boost::asio::error::timed_out;
    } else if (wants == TlsTransport::Wants::read) {
      if (place != nullptr) place->waits_for_client(true);
      ec = co_await stream.readable(left);
      if (place != nullptr) place->waits_for_client(false);
    } else {
      const auto flushed = co_await stream.flush(left);
      ec = flushed.has_error() ? flushed.error() : error_code();
    }
    if (!ec && place != nullptr) co_await place->turns().next();
  }
  if (!ec) co_return Result<void, TlsError>();
  std::string reason(tls.reason());
  if (reason.empty()) reason = ec == boost::asio::error::eof ? "it closed the connection" : ec.message();
  const TlsError why{.code = ec, .distrusted = tls.distrusted(), .reason = reason};
  co_return why;
}

Task<Result<void, TlsError>> secure(Stream& stream, const TlsContext& context, std::string host,
                                    std::string_view received, Duration timeout, std::shared_ptr<TlsSession> session) {
  const auto until = SteadyClock::now() + timeout;
  auto made = std::make_unique<TlsTransport>(stream.descriptor(), context, host, received, std::move(session));
  auto& tls = *made;
  stream.use_transport(std::move(made));
  co_return co_await shake_hands(stream, tls, until, nullptr);
}

}  // namespace headgate::net
