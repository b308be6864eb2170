#pragma once
// A route that compresses answers, for the tests of it.

#include "support/decoded.hpp"
#include "unit/gateway/path/path.hpp"

#include "headgate/http/fields.hpp"

namespace headgate::gateway::test {

class PathCompressed : public Path {
 protected:
  PathCompressed() {
    use();
    answers("text/html; charset=utf-8", page);
  }
  /// From the options as they are now.
  void use() { route.compression = std::make_shared<const Compression>(options_of_route); }
  static http::Field field(std::string_view name, std::string_view value) {
    return {http::known_field(name), name, value};
  }
  void answers(std::string_view type, const std::string& body) {
    server.fields = {field("Content-Type", type)};
    server.framing = {http::Framing::Kind::length, body.size()};
    server.body = {{body, Duration(0), {}}};
  }
  /// Begins a request of a client that takes these codings.
  void get(const std::string& accepts, const std::string& fields = "", const std::string& method = "GET") {
    check(method + " /a", (accepts.empty() ? "" : "Accept-Encoding: " + accepts + "\r\n") + fields);
  }
  std::string told(const std::string& name) const {
    const auto at = client.fields.find(name);
    return at == client.fields.end() ? "" : at->second;
  }
  /// What a client has of the body that it got so far.
  std::string read() const {
    return headgate::test::decoded(std::string_view(told("Content-Encoding")), client.body).bytes;
  }
  /// Whether the answer was compressed; if so, that it is whole.
  bool compressed() const {
    if (told("Content-Encoding").empty()) return false;
    EXPECT_TRUE(headgate::test::decoded(std::string_view(told("Content-Encoding")), client.body).ended);
    return true;
  }
  /// Another request like it, with another answer of the server.
  void next() {
    x.reset();
    client.forget();
    client.fields.clear();
  }

  Compression options_of_route;
  const std::string page = [] {
    std::string out;
    for (int i = 0; i < 300; ++i) out += "<li>" + std::to_string(i * 7919 % 1000) + "</li>\n";
    return out;
  }();
};

}  // namespace headgate::gateway::test
