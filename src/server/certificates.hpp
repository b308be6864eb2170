#pragma once
// The certificates of the listeners with TLS: read at the start, looked at every second, and given to the workers when
// they change. Connections that are open keep what they began with.

#include "headgate/core/result.hpp"
#include "headgate/keyring/watched_file.hpp"
#include "headgate/net/options.hpp"
#include "headgate/net/server_tls.hpp"
#include "headgate/observe/metrics.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

/// Main thread only, unless noted.
class Certificates {
 public:
  /// Gives a listener's TLS to all workers, or says why it cannot: a sentence without its dot.
  using Use = std::function<Result<void, std::string>(std::size_t listener, const net::ServerTlsOptions& options,
                                                      const net::ServerTlsTexts& texts)>;

  Certificates(boost::asio::io_context& loop, observe::Registry& registry);

  /// Reads the files of all listeners and gives them to `use`, which is called again at each change. The error is a
  /// sentence without its dot that names the file.
  Result<void, std::string> open(const std::vector<net::ListenOptions>& listen, Use use);
  /// Other options of TLS, of the listeners that are still at the same place with the same address: the others wait for
  /// a restart. Reports in the log what cannot be used.
  void adopt(const std::vector<net::ListenOptions>& listen);
  /// Starts to look at the files.
  void start();
  void stop();

  /// When the certificate of each file ends. Any thread.
  std::map<std::string, Instant> expiry() const;

 private:
  struct Listener {
    std::size_t number;
    net::ListenOptions where;                 // without TLS
    net::ServerTlsOptions options;            // with a ticket_secret
    std::vector<keyring::WatchedFile> files;  // in the order of texts()
    std::vector<std::string> contents;        // of files; what could not be read is empty
    std::string trouble;                      // why a file could not be read; else empty
    bool changed = false;                     // at the last look; used when a look sees no more changes
  };

  Listener listener_of(std::size_t number, const net::ListenOptions& listen) const;
  /// The same listener with its options of `listen`; nothing if it is not there any more.
  std::optional<Listener> next_of(const Listener& listener, const std::vector<net::ListenOptions>& listen) const;
  /// Reads what changed. Whether anything did.
  static bool look(Listener& listener);
  static net::ServerTlsTexts texts_of(const Listener& listener);
  Result<void, std::string> give(Listener& listener);
  void note_expiry(const Listener& listener, const net::ServerTlsTexts& texts);
  void look_at_all();
  void warn_of_expiry();
  void wait();

  observe::Registry& registry_;
  boost::asio::steady_timer timer_;
  const std::string random_secret_;  // of listeners that have none
  Use use_;
  std::vector<Listener> listeners_;
  observe::Counter* applied_ = nullptr;
  observe::Counter* refused_ = nullptr;
  mutable std::mutex mutex_;
  struct Validity {
    Instant from{};
    Instant until{};
    Instant warned{};
  };
  std::map<std::string, Validity> validity_;  // by file
};

}  // namespace headgate::server
