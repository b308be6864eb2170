#pragma once
// What is demanded of an issuer's server over TLS: an authority that is trusted, and a certificate for its name.

#include "headgate/core/result.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>
#include <utility>

namespace headgate::keyring {

/// The authorities of one URL. Kept once they are read, for those of a system take some 0.1 s; read again after they
/// failed to vouch for a server, which may be because they have been renewed since. The loop's thread.
class Trust {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;

  /// `authorities` is a PEM file's path, or empty for the system's.
  explicit Trust(std::string authorities) : authorities_(std::move(authorities)) {}

  /// A client's, of TLS 1.2 or later. The error begins with the path.
  Result<Context, std::string> context();
  void doubt() noexcept { context_.reset(); }

 private:
  std::string authorities_;
  Context context_;
};

/// Demands a certificate for `host`, a name (which is also asked for by SNI, RFC 6066 section 3) or an address.
bool expect_certificate_for(const std::string& host, ssl_st* connection);

/// Why a handshake failed with `ec`, in words.
std::string why_not_trusted(ssl_st* connection, const error_code& ec);

}  // namespace headgate::keyring
