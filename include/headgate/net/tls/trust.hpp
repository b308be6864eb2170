#pragma once
// The authorities that vouch for a server that we call over TLS. Used by keyring and notify, and by config to check
// the file.

#include "headgate/core/result.hpp"
#include "headgate/net/tls/tls_context.hpp"

#include <memory>
#include <string>
#include <utility>

namespace headgate::net {

/// The authorities of one URL. They are kept after the first read, because the system's take about 0.1 s. They are read
/// again after a server's certificate was not trusted: the file may have changed since. The loop's thread.
class Trust {
 public:
  using Context = std::shared_ptr<const TlsContext>;

  /// `authorities` is the path of a PEM file, or empty for the system's.
  explicit Trust(std::string authorities) : authorities_(std::move(authorities)) {}

  /// The context of a TLS client, TLS 1.2 or later. The error begins with the path.
  Result<Context, std::string> context();
  void doubt() noexcept { context_.reset(); }

 private:
  std::string authorities_;
  Context context_;
};

/// Reads the PEM file as Trust does. An empty path means the system's authorities. The error is a sentence without its
/// dot that begins with the path. Blocks as long as the disk does; any thread.
Result<void, std::string> check_authorities(const std::string& path);

}  // namespace headgate::net
