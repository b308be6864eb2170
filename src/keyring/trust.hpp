#pragma once
// What is demanded of an issuer's server over TLS: an authority that is trusted, and a certificate for its name.

#include "headgate/core/result.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace headgate::keyring {

using TrustPtr = std::shared_ptr<boost::asio::ssl::context>;

/// A client's context of TLS 1.2 or later that believes the authorities in the PEM file, or the system's where the path
/// is empty. The error begins with the path.
Result<TrustPtr, std::string> trust(const std::string& authorities);

/// Demands a certificate for `host`, a name (which is also asked for by SNI, RFC 6066 section 3) or an address.
bool expect_certificate_for(const std::string& host, ssl_st* connection);

/// Why a handshake failed with `ec`, in words.
std::string why_not_trusted(ssl_st* connection, const error_code& ec);

}  // namespace headgate::keyring
