#pragma once
// A route that asks an auth service, for the tests of it. The upstream "shadow" is the service.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {

class AuthServicePath : public Path {
 protected:
  AuthServicePath() { use_service(); }

  /// From the options as they are now.
  void use_service() { route.auth = std::make_shared<const AuthService>(options_of_service); }
  static AuthService usual() {
    AuthService out;
    out.url = "http://shadow/check?from=gateway";
    out.to = "shadow";
    out.host = "shadow";
    out.target = "/check?from=gateway";
    out.copy = {"X-User"};
    return out;
  }
  ServerScript& service() { return shadow->scripts.front(); }
  void says(unsigned status, http::Fields fields = {}) {
    service().status = status;
    service().fields = std::move(fields);
  }
  static http::Field field(std::string_view name, std::string_view value) {
    return {boost::beast::http::string_to_field(name), name, value};
  }
  /// Remembers for ten seconds what is said of a credential.
  void remember_by_authorization() {
    options_of_service.fields = {"Authorization"};
    options_of_service.told = {false, false, false, false};
    options_of_service.remember = seconds(10);
    use_service();
  }
  std::size_t asked() const { return shadow->report.targets.size(); }
  const std::string& question() const { return shadow->report.head; }

  /// Another client that asks at the same time.
  struct Other {
    explicit Other(AuthServicePath& path) : client(path.trace), body(path.clock, path.trace, "other-body") {}
    std::string head;
    Client client;
    ScriptedBody body;
    Exchange x;
    bool done = false;
  };
  void check_also(Other& other, std::string_view line, std::string_view fields) {
    other.head = std::string(line) + " HTTP/1.1\r\nHost: a.example\r\n" + std::string(fields) + "\r\n";
    ASSERT_TRUE(http::h1::parse_request(other.head, {100, 8192}, other.x.request).has_value()) << other.head;
    other.body.begin({}, kBodyTimeout);
    other.x.peer = boost::asio::ip::make_address("192.0.2.8");
    other.x.peer_text = "192.0.2.8";
    other.x.clock = &clock;
    other.x.started = clock.steady();
    other.x.body = &other.body;
    other.x.reply = &other.client;
    spawn(handle(*gateway, other), "other exchange");
  }
  static Task<void> handle(Gateway& gateway, Other& other) {
    co_await gateway.handle(other.x);
    other.done = true;
  }

  AuthService options_of_service = usual();
};

}  // namespace headgate::gateway::test
