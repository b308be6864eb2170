#include "tls_channel.hpp"

#include "server_tls_state.hpp"

#include "headgate/net/tls/tls_context.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace headgate::net {

/// A BIO that makes OpenSSL read from and write to the channel. OpenSSL's memory BIOs would stay at their largest size
/// for the whole connection, and copy the bytes once more.
struct ChannelBio {
  static TlsChannel& channel(BIO* bio) noexcept { return *static_cast<TlsChannel*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* into, std::size_t size, std::size_t* got) noexcept {
    BIO_clear_retry_flags(bio);
    auto& unread = channel(bio).unread_;
    *got = std::min(size, unread.size());
    if (!channel(bio).accepted_.offence.empty()) *got = 0;  // input after an offence is ignored
    if (*got == 0) {
      BIO_set_retry_read(bio);
      return 0;
    }
    std::memcpy(into, unread.data(), *got);
    unread.remove_prefix(*got);
    return 1;
  }
  static int write(BIO* bio, const char* bytes, std::size_t size, std::size_t* taken) noexcept {
    BIO_clear_retry_flags(bio);
    try {
      channel(bio).to_send_.append(bytes, size);
    } catch (const std::bad_alloc&) {  // exceptions must not pass through OpenSSL
      return 0;
    }
    *taken = size;
    return 1;
  }
  static long control(BIO*, int what, long, void*) noexcept { return what == BIO_CTRL_FLUSH ? 1 : 0; }

  static const BIO_METHOD* method() {
    static const BIO_METHOD* const made = [] {
      BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "headgate");
      BIO_meth_set_read_ex(method, read);
      BIO_meth_set_write_ex(method, write);
      BIO_meth_set_ctrl(method, control);
      return method;  // lives as long as the process
    }();
    return made;
  }
};

namespace {

/// Sets the name or address that the certificate must have. A name is also sent as SNI; an address is not, because SNI
/// allows only names (RFC 6066 section 3).
bool expect(SSL* ssl, const std::string& host) {
  boost::system::error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

void TlsChannel::Free::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }

TlsChannel::TlsChannel(ssl_ctx_st* context) : ssl_(SSL_new(context)) {
  BIO* const bio = ssl_ ? BIO_new(ChannelBio::method()) : nullptr;
  if (bio == nullptr) {
    reason_ = "OpenSSL cannot make a connection";
    return;
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
}

TlsChannel::TlsChannel(const ServerTls& server) : TlsChannel(server.state().context.get()) {
  if (!reason_.empty()) return;
  accepted_.attach(ssl_.get(), server);
  SSL_set_accept_state(ssl_.get());
}

TlsChannel::TlsChannel(const TlsContext& context, const std::string& host, std::shared_ptr<TlsSession> session)
    : TlsChannel(context.get()) {
  if (!reason_.empty()) return;
  session_ = std::move(session);
  if (context.side() == TlsContext::Side::server) {
    SSL_set_accept_state(ssl_.get());
    return;
  }
  SSL_set_connect_state(ssl_.get());
  const std::string& name = context.options().server_name;
  if (!expect(ssl_.get(), name.empty() ? host : name)) reason_ = "this name cannot be in a certificate";
  if (!session_) return;
  SSL_set_app_data(ssl_.get(), this);
  if (SSL_SESSION* const last = session_->offer()) SSL_set_session(ssl_.get(), last);
}

// SSL_set_shutdown() is called so that the session can be resumed. Without it, OpenSSL would treat the session as that
// of a broken connection.
TlsChannel::~TlsChannel() {
  if (session_ && secured_ && (reason_.empty() || ended_))
    SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

int TlsChannel::keep_session(ssl_st* ssl, ssl_session_st* session) noexcept {
  auto* const channel = static_cast<TlsChannel*>(SSL_get_app_data(ssl));
  if (channel == nullptr) return 0;
  channel->session_->keep(session);
  return 1;
}

void TlsChannel::keep() {
  if (unread_.empty()) {
    kept_ = std::string();
    unread_ = kept_;
  } else if (unread_.data() < kept_.data() || unread_.data() > kept_.data() + kept_.size()) {
    kept_.assign(unread_);
    unread_ = kept_;
  }
  // If the bytes are already in kept_, they stay in place. If they were moved for each record, a peer could multiply
  // the work with small records.
}

TlsChannel::Step TlsChannel::handshake() {
  if (!reason_.empty()) return Step::failed;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  secured_ = accepted_.secured = result == 1;
  if (secured_) accepted_.drop_staple(ssl_.get());
  if (secured_ && session_) session_->shook_hands(SSL_session_reused(ssl_.get()) == 1);
  return secured_ ? Step::done : fail(result);
}

TlsChannel::Step TlsChannel::open(std::span<char> into, std::size_t& got) {
  if (!reason_.empty()) return Step::failed;
  ERR_clear_error();
  const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
  return after_reading(result);
}

TlsChannel::Step TlsChannel::look() {
  if (!reason_.empty()) return Step::failed;
  char byte = 0;
  std::size_t got = 0;
  ERR_clear_error();
  const int result = SSL_peek_ex(ssl_.get(), &byte, 1, &got);
  return after_reading(result);
}

TlsChannel::Step TlsChannel::after_reading(int result) {
  const Step step = result == 1 ? Step::done : fail(result);
  if (accepted_.offence.empty()) return step;
  reason_ = accepted_.offence;
  return Step::failed;
}

bool TlsChannel::holds() const noexcept { return !unread_.empty() || (ssl_ && SSL_has_pending(ssl_.get()) == 1); }

bool TlsChannel::seal(std::string_view plain) {
  if (!reason_.empty() && !ended_) return false;  // after close_notify, the peer may still read
  ERR_clear_error();
  std::size_t taken = 0;
  const int result = SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &taken);
  if (result == 1) return true;
  if (fail(result) == Step::more) reason_ = "TLS cannot write before the peer has sent more";
  return false;
}

// SSL_shutdown() must not be called after a failure.
void TlsChannel::send_end() {
  if (!secured_ || !(reason_.empty() || ended_)) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

TlsChannel::Step TlsChannel::fail(int result) {
  const int why = SSL_get_error(ssl_.get(), result);
  if (why == SSL_ERROR_WANT_READ) return Step::more;
  if (why == SSL_ERROR_ZERO_RETURN) {
    ended_ = true;
    reason_ = "it closed the connection";
  } else if (const long verified = SSL_get_verify_result(ssl_.get());
             verified != X509_V_OK && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
    distrusted_ = true;
    reason_ = std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(verified);
  } else {
    const auto error = ERR_peek_error();
    const char* text = ERR_reason_error_string(error);
    // The peer almost always answers without TLS, so the text "wrong version number" would be misleading.
    if (ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER) text = "it does not speak TLS";
    reason_ = text != nullptr ? text : "the connection failed";
  }
  if (session_ && !ended_) session_->forget();
  ERR_clear_error();
  return Step::failed;
}

std::string_view TlsChannel::protocol() const noexcept {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

}  // namespace headgate::net
