#pragma once
// Real servers behind the gateway. Each answers every request with how it read it, so that an attack shows what a
// server would have done.

#include "blackbox/harness/message.hpp"
#include "blackbox/harness/process.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::test {

/// How a server read one request.
struct Reading {
  std::string method;
  std::vector<Field> fields;       ///< as an application gets them: HTTP_X_Y from WSGI and CGI, none from nginx
  std::vector<std::string> paths;  ///< decoded; several if applications on that server read it in different ways
};

/// Reads the body of such an answer: the method, one line for each field, an empty line, the paths with NUL between
/// them.
Reading reading_of(const Message& answer);

/// One server on a free port of 127.0.0.1. Ended, by its own PID, with the test.
///
///   RealServer server(GetParam());
///   if (!server.missing().empty()) GTEST_SKIP() << server.missing();
///   ASSERT_TRUE(server.start()) << server.said();
class RealServer {
 public:
  enum class Kind { nginx, wsgi, node, lighttpd };

  explicit RealServer(Kind kind) : kind_(kind) {}

  /// Why it cannot be started on this machine; empty if it can.
  std::string missing() const;
  /// Whether it listens, in time.
  bool start();
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::uint16_t port() const { return port_; }
  std::string said() const { return process_ ? process_->err() : ""; }

 private:
  bool start_configured();
  bool start_script(const std::string& script);

  Kind kind_;
  std::uint16_t port_ = 0;
  std::unique_ptr<TemporaryFile> file_;  // of nginx or lighttpd, in the directory it works in
  std::unique_ptr<Process> process_;     // ends before its directory goes
};

/// For the names of tests with a parameter.
std::string to_text(RealServer::Kind kind);

}  // namespace headgate::test
