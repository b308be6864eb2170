#pragma once
// The trusted authorities for servers that the gateway calls over TLS. Used by keyring and notify, and by config to
// check the file.

#include "headgate/core/result.hpp"
#include "headgate/net/tls/tls_context.hpp"

#include <memory>
#include <string>
#include <utility>

namespace headgate::net {

/// The authorities for one URL. They are kept after the first read, because reading those of the system takes about 0.1
/// s. If the certificate of a server was not trusted, they are read again, because the file may have changed. The
/// loop's thread.
class Trust {
 public:
  using Context = std::shared_ptr<const TlsContext>;

  /// `authorities` is the path of a PEM file, or empty for the system's.
  explicit Trust(std::string authorities) : authorities_(std::move(authorities)) {}

  /// Returns a client context for TLS 1.2 or later. The error begins with the path.
  Result<Context, std::string> context();
  void doubt() noexcept { context_.reset(); }

 private:
  std::string authorities_;
  Context context_;
};

/// Reads the PEM file like Trust. An empty path means the system's authorities. The error is a sentence without a full
/// stop that begins with the path. Blocks while the disk is read; any thread.
Result<void, std::string> check_authorities(const std::string& path);

}  // namespace headgate::net
