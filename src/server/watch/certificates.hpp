#pragma once
// The certificates of the listeners with TLS: read at the start, looked at every second, and given to the workers when
// they change. Connections that are open keep what they began with.

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
  /// Makes a listener's TLS for all workers, or says why it cannot: a sentence without its dot.
  using Make = std::function<Result<ListenerTls, std::string>(const net::ServerTlsOptions& options,
                                                              const net::ServerTlsTexts& texts)>;
  /// Gives it to the workers. `listener`: its number among the listeners.
  using Give = std::function<void(std::size_t listener, ListenerTls tls)>;

  /// Both outlive it. `give` gets what has changed, from start() to stop().
  Certificates(Clock& clock, observe::Registry& registry, Give give);

  struct Failure {
    std::size_t index = 0;  ///< of the listener
    std::string why;        ///< a sentence without its dot that names the file
  };
  /// One of them, with its files.
  struct Listener {
    std::size_t number;
    std::string text;                           // as the configuration has it
    net::ServerTlsOptions options;              // with a ticket_secret
    std::vector<keyring::WatchedFile> files;    // in the order of texts()
    std::vector<std::string> contents;          // of files; what could not be read is empty
    Staples staples;                            // of the certificates
    std::string trouble;                        // why a file could not be read; else empty
    std::vector<admin::CertificateRow> rows{};  // of what is used
    std::string refused{};                      // why newer files are not used; else empty
    bool renewed = false;                       // files have changed since they were used
    bool changed = false;                       // at the last look; used when a look sees no more changes
  };
  /// The certificates of other listeners, not in use yet.
  struct Next {
    std::vector<Listener> listeners;
    std::vector<ListenerTls> tls;  ///< by the number of the listener
  };
  /// Reads the files of all listeners. `make` is called again when they change.
  Result<Next, Failure> prepare(const std::vector<net::ListenOptions>& listen, Make make);
  /// Looks at these from now on. Their TLS was given to the workers.
  void use(Next next);
  /// Those towards upstreams.
  void adopt(const std::shared_ptr<const services::ActiveConfig>& active) override;
  /// Starts to look at the files.
  void start() override;
  void stop() override;
  /// All that are in use.
  std::vector<admin::CertificateRow> rows() const;

  /// When the certificate of each file ends. Any thread.
  std::map<std::string, Instant> expiry() const;
  /// The files of certificates that end soon, and in how many days. Any thread.
  std::vector<std::pair<std::string, std::string>> ending() const;
  /// When the OCSP response of each file ends. Any thread.
  std::map<std::string, Instant> staple_expiry() const;

 private:
  Listener listener_of(std::size_t number, const net::ListenOptions& listen) const;
  /// Reads what changed. Whether anything did.
  static bool look(Listener& listener);
  static net::ServerTlsTexts texts_of(const Listener& listener);
  Result<ListenerTls, std::string> make(Listener& listener) const;
  /// What it uses from now on.
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
  const std::string random_secret_;  // of listeners that have none
  Make make_;
  const Give give_;
  bool runs_ = false;
  bool waiting_ = false;
  std::vector<Listener> listeners_;
  observe::Counter* applied_ = nullptr;
  observe::Counter* refused_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<admin::CertificateRow> others_;        // towards upstreams; main thread only
  std::map<std::string, admin::Validity> validity_;  // by file
  struct Warned {
    Instant until{};  // the end that was warned of
    Instant at{};
  };
  std::map<std::string, Warned> warned_;            // by file; main thread only
  std::map<std::string, Instant> staple_validity_;  // by file
};

}  // namespace headgate::server
