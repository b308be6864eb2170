#pragma once
// Real servers behind the gateway: each answers every request with what it made of it, so that an attack shows by what
// a server would have done, whatever the gateway thought of it.

#include "blackbox/harness/message.hpp"
#include "blackbox/harness/process.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::test {

/// What a server made of one request.
struct Reading {
  std::string method;
  std::vector<Field> fields;       ///< as an application gets them: HTTP_X_Y from WSGI, none from nginx
  std::vector<std::string> paths;  ///< decoded; several where applications on that server read it differently
};

/// Out of the body of such an answer: the method, a line for each field, an empty line, the paths with NUL between.
Reading reading_of(const Message& answer);

/// One server on a free port of 127.0.0.1. Ended, by its own PID, with the test.
///
///   RealServer server(GetParam());
///   if (!server.missing().empty()) GTEST_SKIP() << server.missing();
///   ASSERT_TRUE(server.start()) << server.said();
class RealServer {
 public:
  enum class Kind { nginx, wsgi, node };

  explicit RealServer(Kind kind) : kind_(kind) {}

  /// Why it cannot be started on this machine; empty where it can.
  std::string missing() const;
  /// Whether it listens, in time.
  bool start();
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::uint16_t port() const { return port_; }
  std::string said() const { return process_ ? process_->err() : ""; }

 private:
  bool start_nginx();
  bool start_script(const std::string& script);

  Kind kind_;
  std::uint16_t port_ = 0;
  std::unique_ptr<TemporaryFile> file_;  // nginx's, in the directory it works in
  std::unique_ptr<Process> process_;     // ends before its directory goes
};

/// For the names of tests with a parameter.
std::string to_text(RealServer::Kind kind);

}  // namespace headgate::test
