#pragma once
// Calls the admin interface of a gateway as an operator does.

#include "blackbox/harness/look.hpp"

#include <string>

namespace headgate::test {

/// Each call has a connection of its own.
class Operator {
 public:
  explicit Operator(Process& process, std::string token = {}) : port_(admin_port(process)), token_(std::move(token)) {}
  explicit Operator(std::uint16_t port, std::string token = {}) : port_(port), token_(std::move(token)) {}

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  Message ask(const std::string& method, const std::string& target, const std::string& body = "",
              const std::string& fields = "") const {
    return RawClient(port_).ask(text(method, target, body, fields),
                                method == "HEAD" ? Kind::answer_to_head : Kind::answer);
  }
  std::string text(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& fields = "") const {
    const auto length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
    const auto authorization = token_.empty() ? "" : "Authorization: Bearer " + token_ + "\r\n";
    return method + ' ' + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + authorization + fields + length + "\r\n" + body;
  }
  /// The answer to a GET, which must be 200 and JSON.
  Json get(const std::string& target) const {
    const auto answer = ask("GET", target);
    EXPECT_EQ(answer.status(), 200) << target << '\n' << answer.body;
    return Json::parse(answer.body, nullptr, false);
  }

 private:
  std::uint16_t port_;
  std::string token_;
};

/// A refusal of the admin interface: a problem with a sentence.
inline void expect_refusal(const Message& answer, int status) {
  EXPECT_EQ(answer.status(), status) << answer.head << answer.body;
  EXPECT_EQ(answer.value("Content-Type"), "application/problem+json");
  const auto problem = Json::parse(answer.body, nullptr, false);
  EXPECT_TRUE(problem.is_object() && problem.value("status", 0) == status && problem.value("detail", "").ends_with('.'))
      << answer.body;
}

}  // namespace headgate::test
