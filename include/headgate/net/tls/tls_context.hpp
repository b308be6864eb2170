#pragma once
// What TLS connections share: certificates and keys, read once, and whether the peer's certificate is verified.

#include "headgate/core/result.hpp"
#include "headgate/net/tls/tls_options.hpp"

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace headgate::net {

/// Allows TLS 1.2 or later. Immutable; any thread.
class TlsContext {
 public:
  using Made = Result<std::shared_ptr<const TlsContext>, std::string>;

  /// For connections that we make. Reads the files. The error names the file and what is wrong with it, in one line
  /// without a full stop. Blocks while the disk is read; reading the system's authorities takes about 0.1 s.
  static Made of_client(const TlsOptions& options);
  /// For connections that we accept, with our `certificate` and `key` (names of PEM files). Clients need no
  /// certificate. Errors and blocking as for of_client().
  static Made of_server(const std::string& certificate, const std::string& key);

  enum class Side : bool { client, server };
  Side side() const noexcept { return side_; }
  ssl_ctx_st* get() const noexcept { return context_.get(); }
  const TlsOptions& options() const noexcept { return options_; }
  /// Whether the files had the same content when `other` was made. Of the system's authorities only the time of their
  /// last change is compared.
  bool same_files(const TlsContext& other) const noexcept { return digest_ == other.digest_; }

 private:
  TlsContext(Side side, TlsOptions options, std::string digest, std::shared_ptr<ssl_ctx_st> context);

  Side side_;
  TlsOptions options_;
  std::string digest_;  ///< of what its files hold
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace headgate::net
