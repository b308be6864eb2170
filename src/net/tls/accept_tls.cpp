#include "headgate/net/tls/accept_tls.hpp"

#include "tls_transport.hpp"

namespace headgate::net {
namespace {

TlsError given_up(boost::asio::error::basic_errors code) {
  const error_code ec(code);
  return {.code = ec, .distrusted = false, .reason = ec.message()};
}

}  // namespace

Result<char> first_byte(const Stream& stream) noexcept {
  if (!stream.is_open()) return error_code(boost::asio::error::operation_aborted);
  char byte = 0;
  const auto count = ::recv(stream.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count > 0) return byte;
  return count == 0 ? error_code(boost::asio::error::eof) : socket::failure();
}

Task<Result<Secured, TlsError>> accept_tls(Stream& stream, ServerTlsPtr server, std::string_view received,
                                           Duration timeout, HandshakeTurns& turns, std::uint64_t owner) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  co_await turns.begin(owner);
  HandshakeTurns::Place place(turns, &stream);
  if (!stream.is_open() || stream.interrupted()) co_return given_up(boost::asio::error::operation_aborted);
  if (std::chrono::steady_clock::now() >= until) co_return given_up(boost::asio::error::timed_out);
  auto made = std::make_unique<TlsTransport>(stream.descriptor(), std::move(server), received);
  auto& tls = *made;
  stream.use_transport(std::move(made));
  const auto shaken = co_await shake_hands(stream, tls, until, &place);
  if (place.lost()) co_return given_up(boost::asio::error::timed_out);
  if (shaken.has_error()) co_return shaken.error();
  co_return AcceptedTls::result(tls.channel().get());
}

}  // namespace headgate::net
