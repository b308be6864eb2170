#pragma once
// The state that TLS connections share: certificates and keys, read once, and whether the certificate of the peer is
// verified.

#include "headgate/core/result.hpp"
#include "headgate/net/tls/tls_options.hpp"

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace headgate::net {

/// A TLS context for version 1.2 or later. Immutable; any thread.
class TlsContext {
 public:
  using Made = Result<std::shared_ptr<const TlsContext>, std::string>;

  /// Creates a context for connections that the gateway makes. Reads the files. The error names the file and its
  /// problem, in one line without a full stop. Blocks while the disk is read; reading the system's authorities takes
  /// about 0.1 s.
  static Made of_client(const TlsOptions& options);
  /// Creates a context for accepted connections, with our `certificate` and `key` (names of PEM files). Clients need no
  /// certificate. Errors and blocking are those of of_client().
  static Made of_server(const std::string& certificate, const std::string& key);

  enum class Side : bool { client, server };
  Side side() const noexcept { return side_; }
  ssl_ctx_st* get() const noexcept { return context_.get(); }
  const TlsOptions& options() const noexcept { return options_; }
  /// Returns whether the files had the same content when `other` was made. For the system's authorities only the time
  /// of their last change is compared.
  bool same_files(const TlsContext& other) const noexcept { return digest_ == other.digest_; }

 private:
  TlsContext(Side side, TlsOptions options, std::string digest, std::shared_ptr<ssl_ctx_st> context);

  Side side_;
  TlsOptions options_;
  std::string digest_;  ///< digest of the content of the files
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace headgate::net
