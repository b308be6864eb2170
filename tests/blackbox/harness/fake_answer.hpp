#pragma once
// Answers one request of FakeUpstream as its X-Test-* fields say.

#include "blackbox/harness/message.hpp"
#include "blackbox/harness/socket.hpp"

#include <functional>
#include <string>

namespace headgate::test {

/// The 101 to a request with Upgrade.
std::string switching_head(const Message& request);

/// Lives for one request, on the thread of its connection.
class FakeAnswer {
 public:
  /// `wait_released` returns false if the test ended first.
  FakeAnswer(Socket& socket, const Message& head, bool reused, std::function<bool()> wait_released)
      : socket_(socket), reused_(reused), wait_released_(std::move(wait_released)) {
    says_continue_ = same_name(head.value("Expect"), "100-continue") && !head.has("X-Test-No-Continue");
  }

  /// Sends what comes before the body is read. False if the connection is over.
  bool invite_body() { return !says_continue_ || socket_.send("HTTP/1.1 100 Continue\r\n\r\n"); }
  /// Sends the answer. False if the connection is over after it.
  bool send(const Message& request);

 private:
  bool before(const Message& request);
  bool send_body(const Message& request, const std::string& head, const std::string& framed);
  std::string head(const Message& request, const std::string& body) const;
  static std::string framed(const Message& request, const std::string& body);
  bool wait_for_end();

  Socket& socket_;
  bool reused_;
  bool says_continue_ = false;
  std::function<bool()> wait_released_;
};

}  // namespace headgate::test
