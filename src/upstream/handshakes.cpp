#include "handshakes.hpp"

#include "headgate/net/descriptors.hpp"

#include <boost/asio/error.hpp>

namespace headgate::upstream {

namespace asio_error = boost::asio::error;
using observe::ServerHandshake;

void ServerHandshakes::count(ServerHandshake how) noexcept {
  if (auto* const counter = tls_.counters[static_cast<std::size_t>(how)]) counter->add();
}

void ServerHandshakes::connected(bool resumed) noexcept {
  if (tls_.context) count(resumed ? ServerHandshake::resumed : ServerHandshake::full);
}

Failure ServerHandshakes::failed(const net::ConnectError& why) {
  const bool late = why.code == asio_error::timed_out;
  Failure failure{.what = late ? Failed::connect_timeout : Failed::no_connection, .cause = why.code, .server = server_};
  if (why.at == net::ConnectError::At::address && net::is_own_want(why.code)) {
    failure.what = Failed::own_want;
    failure.why = net::kOwnWant;
    return failure;
  }
  if (why.at != net::ConnectError::At::handshake || why.code == asio_error::operation_aborted) return failure;
  reason_ = why.reason;
  if (why.distrusted) {
    count(ServerHandshake::untrusted);
    tell("upstream_untrusted", "a server's certificate is not trusted, so it gets no requests");
    failure.what = Failed::untrusted;
    failure.detail = reason_;
  } else if (late) {
    count(ServerHandshake::timed_out);
    failure.why = "it did not complete the TLS handshake in time";
    reason_ = failure.why;
    tell("upstream_tls_failed", "a server cannot be reached over TLS");
  } else {
    count(ServerHandshake::failed);
    tell("upstream_tls_failed", "a server cannot be reached over TLS");
    failure.what = Failed::handshake;
    failure.detail = reason_;
  }
  return failure;
}

Failure ServerHandshakes::no_http2(const char* why) {
  reason_ = why;
  tell("upstream_not_http2", "a server cannot be reached over HTTP/2");
  return {.what = Failed::handshake, .why = why, .server = server_};
}

std::string_view ServerHandshakes::broken(std::string_view reason) {
  reason_ = reason;
  tell("upstream_tls_failed", "a TLS connection to a server failed");
  return reason_;
}

void ServerHandshakes::tell(std::string_view name, std::string_view sentence) {
  if (!gate_.pass(clock_.steady())) return;
  observe::event(observe::LogLevel::error, name, sentence,
                 {{"upstream", upstream_}, {"server", server_}, {"reason", reason_}, gate_.left_out()});
}

}  // namespace headgate::upstream
