#include "trust.hpp"

#include "headgate/keyring/authorities.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace headgate::keyring {
namespace {

namespace ssl = boost::asio::ssl;

/// Why the file cannot be read, or "": OpenSSL's own words for it do not name the cause.
std::string unreadable(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  return file ? std::string() : path + ": cannot be read: " + std::generic_category().message(errno);
}

Result<Trust::Context, std::string> read(const std::string& authorities) {
  using Made = Result<Trust::Context, std::string>;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  error_code ec;
  context->set_verify_mode(ssl::verify_peer, ec);
  if (ec) return Made(boost::system::in_place_error, "OpenSSL cannot verify: " + ec.message());
  if (authorities.empty()) {
    context->set_default_verify_paths(ec);
    if (ec) return Made(boost::system::in_place_error, "the system has no authorities to trust");
    return context;
  }
  if (auto why = unreadable(authorities); !why.empty()) return Made(boost::system::in_place_error, std::move(why));
  context->load_verify_file(authorities, ec);
  if (ec) return Made(boost::system::in_place_error, authorities + ": holds no certificate in PEM");
  return context;
}

}  // namespace

Result<Trust::Context, std::string> Trust::context() {
  if (context_) return context_;
  auto made = read(authorities_);
  if (made.has_value()) context_ = *made;
  return made;
}

bool expect_certificate_for(const std::string& host, ssl_st* connection) {
  error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host.c_str()) == 1;
  SSL_set_hostflags(connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(connection, host.c_str()) == 1 && SSL_set_tlsext_host_name(connection, host.c_str()) == 1;
}

std::string why_not_trusted(ssl_st* connection, const error_code& ec) {
  if (const long verified = SSL_get_verify_result(connection); verified != X509_V_OK)
    return std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(verified);
  return "TLS failed: " + ec.message();
}

Result<void, std::string> check_authorities(const std::string& path) {
  if (auto made = read(path); made.has_error())
    return Result<void, std::string>(boost::system::in_place_error, made.error());
  return {};
}

}  // namespace headgate::keyring
