#include "tls_channel.hpp"

#include "tls_context.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace headgate::redis {
namespace {

/// The certificate must be for an address where an address was asked for; SNI knows only names (RFC 6066, section 3).
bool expect(SSL* ssl, const std::string& host) {
  boost::system::error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

void TlsChannel::Free::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }

TlsChannel::TlsChannel(const TlsContext& context, const std::string& host) : ssl_(SSL_new(context.get())) {
  if (!ssl_) {
    reason_ = "OpenSSL cannot make a connection";
    return;
  }
  received_ = BIO_new(BIO_s_mem());
  to_send_ = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl_.get(), received_, to_send_);
  SSL_set_connect_state(ssl_.get());
  const std::string& name = context.options().server_name;
  if (!expect(ssl_.get(), name.empty() ? host : name)) reason_ = "no certificate can be for this name";
}

void TlsChannel::feed(std::string_view received) {
  if (reason_.empty()) BIO_write(received_, received.data(), static_cast<int>(received.size()));
}

TlsChannel::Step TlsChannel::handshake() {
  if (!reason_.empty()) return Step::failed;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? Step::done : fail(result);
}

TlsChannel::Step TlsChannel::open(std::span<char> into, std::size_t& got) {
  ERR_clear_error();
  const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
  return result == 1 ? Step::done : fail(result);
}

bool TlsChannel::seal(std::string_view plain) {
  ERR_clear_error();
  std::size_t taken = 0;
  const int result = SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &taken);
  if (result == 1) return true;
  if (fail(result) == Step::more) reason_ = "TLS: it holds up what is written";
  return false;
}

void TlsChannel::drain(std::string& out) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(to_send_, &bytes);
  if (length > 0) out.append(bytes, static_cast<std::size_t>(length));
  static_cast<void>(BIO_reset(to_send_));
}

TlsChannel::Step TlsChannel::fail(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ) return Step::more;
  if (error == SSL_ERROR_ZERO_RETURN) {
    reason_ = "it closed the connection";
  } else if (const long verified = SSL_get_verify_result(ssl_.get());
             verified != X509_V_OK && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
    reason_ = std::string("TLS: its certificate is not trusted: ") + X509_verify_cert_error_string(verified);
  } else {
    const char* text = ERR_reason_error_string(ERR_peek_error());
    reason_ = std::string("TLS: ") + (text != nullptr ? text : "the connection failed");
  }
  ERR_clear_error();
  return Step::failed;
}

}  // namespace headgate::redis
