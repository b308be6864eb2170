#pragma once
// Servers that others have made, on a free port of 127.0.0.1.

#include "blackbox/harness/process.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace headgate::test {

/// Ended with the test.
class RealServer {
 public:
  /// `arguments` of its command line for this port.
  RealServer(const std::string& program, const std::function<Words(std::uint16_t port)>& arguments);
  /// With a configuration file, which is the argument after `arguments`.
  RealServer(const std::string& program, Words arguments, const std::function<std::string(std::uint16_t port)>& file);

  /// Waits until it listens. False if it does not; said() may tell why.
  bool listens();
  std::uint16_t port() const { return port_; }
  std::string url(const std::string& scheme) const { return scheme + "://127.0.0.1:" + std::to_string(port_); }
  std::string said() const { return process_.err() + process_.out(); }
  Process& process() { return process_; }

 private:
  std::uint16_t port_;
  std::unique_ptr<TemporaryFile> file_;
  Process process_;
};

/// Whether this program is on this machine.
bool installed(const std::string& program);

/// A headless Chromium, or "".
std::string headless_chromium();

inline const std::string kHaproxy = "/usr/sbin/haproxy";
inline const std::string kNginx = "/usr/sbin/nginx";
inline const std::string kOpenssl = "/usr/bin/openssl";
inline const std::string kNode = "/usr/bin/node";
inline const std::string kPython = "/usr/bin/python3";

/// HAProxy that passes bytes on from `bind` ("ssl crt FILE …" or "") to 127.0.0.1:`to` with those options.
RealServer haproxy(const std::string& bind, std::uint16_t to, const std::string& options = "");
/// nginx with TLS: `inside` is what its "server" block has beside the port, `root` a folder for its own files.
RealServer nginx(const std::string& root, const std::string& inside);

}  // namespace headgate::test
