#pragma once
// The certificates of TLS listeners: read at startup, checked every second, and given to the workers when they change.
// Open connections keep the certificate of their handshake.

#include "staples.hpp"

#include "headgate/admin/certificate_rows.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/result.hpp"
#include "headgate/keyring/watched_file.hpp"
#include "headgate/net/options.hpp"
#include "headgate/net/tls/server_tls.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/server/server.hpp"
#include "headgate/services/service.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {

/// Main thread only, unless noted.
class Certificates final : public services::Service {
 public:
  /// A function that makes a listener's TLS for all workers. The error is a sentence without its full stop.
  using Make = std::function<Result<ListenerTls, std::string>(const net::ServerTlsOptions& options,
                                                              const net::ServerTlsTexts& texts)>;
  /// A function that gives TLS to the workers. `listener` is the number of the listener.
  using Give = std::function<void(std::size_t listener, ListenerTls tls)>;

  /// `clock` and `registry` must outlive this object. `give` is called for each change between start() and stop().
  Certificates(Clock& clock, observe::Registry& registry, Give give);

  struct Failure {
    std::size_t index = 0;  ///< the listener's number
    std::string why;        ///< the reason, a sentence without its full stop that names the file
  };
  /// One listener, with its files.
  struct Listener {
    std::size_t number;
    std::string text;                           // the text in the configuration
    net::ServerTlsOptions options;              // including a ticket_secret
    std::vector<keyring::WatchedFile> files;    // in the order of texts()
    std::vector<std::string> contents;          // contents of `files`; empty if a file could not be read
    Staples staples;                            // OCSP responses of the certificates
    std::string trouble;                        // why a file could not be read; otherwise empty
    std::vector<admin::CertificateRow> rows{};  // rows for the certificates in use
    std::string refused{};                      // why newer files are not used; otherwise empty
    bool renewed = false;                       // whether files have changed since they were used
    // whether files changed at the last check; they are used when the next check finds no more changes
    bool changed = false;
  };
  /// The certificates of new listeners, not in use yet.
  struct Next {
    std::vector<Listener> listeners;
    std::vector<ListenerTls> tls;  ///< by the number of the listener
  };
  /// Reads the files of all listeners. `make` is called again when they change.
  Result<Next, Failure> prepare(const std::vector<net::ListenOptions>& listen, Make make);
  /// Checks the files of `next` from now on. The workers already have its TLS.
  void use(Next next);
  /// Also lists the certificates for upstreams.
  void adopt(const std::shared_ptr<const services::ActiveConfig>& active) override;
  /// Starts to check the files.
  void start() override;
  void stop() override;
  /// Returns all certificates in use.
  std::vector<admin::CertificateRow> rows() const;

  /// Returns the time at which the certificate of each file expires. Any thread.
  std::map<std::string, Instant> expiry() const;
  /// Returns the files of certificates that expire soon, and the number of days until then. Any thread.
  std::vector<std::pair<std::string, std::string>> ending() const;
  /// Returns the time at which the OCSP response of each file expires. Any thread.
  std::map<std::string, Instant> staple_expiry() const;

 private:
  Listener listener_of(std::size_t number, const net::ListenOptions& listen) const;
  /// Reads changed files. Returns whether any has changed.
  static bool look(Listener& listener);
  static net::ServerTlsTexts texts_of(const Listener& listener);
  Result<ListenerTls, std::string> make(Listener& listener) const;
  /// Records the certificates that the listener uses from now on.
  void note_rows(Listener& listener) const;
  void note_expiry();
  void note_staples();
  void show();
  void watch();
  void look_at_all();
  void warn_of_expiry();
  void wait();

  observe::Registry& registry_;
  Clock& clock_;
  std::unique_ptr<Alarm> alarm_;
  const std::string random_secret_;  // the ticket secret of listeners without one
  Make make_;
  const Give give_;
  bool runs_ = false;
  bool waiting_ = false;
  std::vector<Listener> listeners_;
  observe::Counter* applied_ = nullptr;
  observe::Counter* refused_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<admin::CertificateRow> others_;        // certificates for upstreams; main thread only
  std::map<std::string, admin::Validity> validity_;  // by file
  struct Warned {
    Instant until{};  // the expiry date in the last warning
    Instant at{};
  };
  std::map<std::string, Warned> warned_;            // by file; main thread only
  std::map<std::string, Instant> staple_validity_;  // by file
};

}  // namespace headgate::server
