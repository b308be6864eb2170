#pragma once
// The OCSP responses of one listener's certificates: reads them, chooses those to send, and reports expired ones.

#include "headgate/keyring/watched_file.hpp"
#include "headgate/net/tls/server_tls_options.hpp"
#include "headgate/net/tls/staple.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {

/// The responses of one listener. Main thread only. Writes to the error log.
class Staples {
 public:
  /// `certificates` are those of the listener; many of them may have no response. Reads no file yet.
  explicit Staples(const std::vector<net::CertificateFiles>& certificates);

  /// Takes over the responses that `from` sends from the same files, so that a response stays in use if its file cannot
  /// be used now. `from` is another listener, or this one before a reload.
  void take_over(const Staples& from);
  /// Reads changed files. Returns whether any has changed.
  bool look();
  /// Returns the response for the certificate with this number and chain. This is the response that was read last. If
  /// it cannot be used, it is the response in use before, provided that this still belongs to the certificate;
  /// otherwise there is none.
  const net::Staple& choose(std::size_t number, const std::string& chain, Instant now);
  /// The outcome of the calls of choose() since the last call of outcome().
  struct Outcome {
    bool changed = false;     ///< whether another response is sent
    std::size_t refused = 0;  ///< number of files that could not be used
  };
  Outcome outcome() { return std::exchange(outcome_, {}); }
  /// Logs each response once when it has expired. An expired response is no longer sent.
  void warn(Instant now);

  /// Describes the response of the certificate with this number: "good", "revoked", "stale", "refused", or "" if there
  /// is none.
  void describe(std::size_t number, Instant now, std::string& state, Instant& until) const;
  /// Adds the time at which the response in use of each file expires.
  void add_expiry(std::map<std::string, Instant>& out) const;

 private:
  struct One {
    std::size_t number;  // the number of its certificate
    keyring::WatchedFile file;
    std::string text{};     // the text that was read last
    std::string trouble{};  // why the file could not be read
    net::Staple used{};
    std::string told{};  // why the response was refused, as logged
    bool warned = false;
  };
  void refuse(One& one, std::string why);

  std::vector<One> all_;
  Outcome outcome_;
};

}  // namespace headgate::server
