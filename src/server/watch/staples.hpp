#pragma once
// The OCSP responses of one listener's certificates: which of them are sent, and which have become stale.

#include "headgate/keyring/watched_file.hpp"
#include "headgate/net/tls/server_tls_options.hpp"
#include "headgate/net/tls/staple.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {

/// Main thread only. Writes to the error log.
class Staples {
 public:
  /// Nothing is read yet. `certificates`: of the listener; many have no response.
  explicit Staples(const std::vector<net::CertificateFiles>& certificates);

  /// Begins with what another listener, or this one before a reload, sends from the same files: a file that cannot be
  /// used now does not take it away.
  void take_over(const Staples& from);
  /// Reads what changed. Whether anything did.
  bool look();
  /// What to send with the certificate of this number, whose chain this is: what was read last; if that cannot be used,
  /// what was sent before, as long as it fits; else nothing.
  const net::Staple& choose(std::size_t number, const std::string& chain, Instant now);
  /// What came of the calls of choose() since the last call.
  struct Outcome {
    bool changed = false;     ///< something else is sent
    std::size_t refused = 0;  ///< so many files could not be used
  };
  Outcome outcome() { return std::exchange(outcome_, {}); }
  /// Reports each response once that has become stale: from then on it is not sent.
  void warn(Instant now);

  /// What callers get with the certificate of this number: "good", "revoked", "stale", "refused", or "" if it has none.
  void describe(std::size_t number, Instant now, std::string& state, Instant& until) const;
  /// When the response in use of each file ends.
  void add_expiry(std::map<std::string, Instant>& out) const;

 private:
  struct One {
    std::size_t number;  // of its certificate
    keyring::WatchedFile file;
    std::string text{};     // as it was read last
    std::string trouble{};  // why it could not be read
    net::Staple used{};
    std::string told{};  // why it was refused, as the log has it
    bool warned = false;
  };
  void refuse(One& one, std::string why);

  std::vector<One> all_;
  Outcome outcome_;
};

}  // namespace headgate::server
