// The admin port and its token.

#include "build.hpp"
#include "codes.hpp"
#include "formats.hpp"
#include "values.hpp"

#include <boost/asio/ip/address.hpp>

namespace headgate::config {
namespace {

constexpr std::size_t kShortToken = 16;  // bytes; shorter tokens can be guessed over a network

bool is_loopback(const std::string& host) {
  boost::system::error_code ec;
  const auto address = boost::asio::ip::make_address(host, ec);
  return !ec && address.is_loopback();
}

void check_token(Build& build, const Node& admin, const char* name, const char* variable) {
  const Node* token = text_at(&admin, name);
  if (token == nullptr) return;
  if (token->text.empty()) {
    build.report.error(code::kCredentials, *token, "this token is empty",
                       std::string("write \"") + name + "\": \"${" + variable + "}\"");
  } else if (check_field_value(token->text)) {
    build.report.error(code::kCredentials, *token, "this token cannot be sent in a header field",
                       "make one of letters and digits: openssl rand -hex 24");
  } else if (token->text.size() < kShortToken) {
    build.report.warning(code::kGuessable, *token,
                         "a token of " + std::to_string(token->text.size()) + " bytes can be guessed",
                         "make one of 16 or more: openssl rand -hex 24");
  }
}

void check_roles(Build& build, const Node& admin, const Admin& out) {
  check_token(build, admin, "token", "HEADGATE_ADMIN_TOKEN");
  check_token(build, admin, "read_token", "HEADGATE_READ_TOKEN");
  const Node* reader = text_at(&admin, "read_token");
  if (reader == nullptr) return;
  if (find(&admin, "token") == nullptr) {
    build.report.error(code::kCredentials, *reader, "with a \"read_token\" alone nobody could change anything",
                       R"(add "token": "${HEADGATE_ADMIN_TOKEN}")");
  } else if (!out.token.empty() && out.token == out.read_token) {
    build.report.error(code::kCredentials, *reader,
                       "both tokens are the same, so whoever may read may change everything",
                       "make another one: openssl rand -hex 24");
  }
}

void check_listen(Build& build, const Node& admin, const Admin& out) {
  const Node* listen = text_at(&admin, "listen");
  if (listen == nullptr) return;
  if (!is_loopback(out.listen.host) && find(&admin, "token") == nullptr) {
    build.report.error(
        code::kCredentials, *listen, "other machines can reach this address, so administration needs a token here",
        R"(add "token": "${HEADGATE_ADMIN_TOKEN}", or listen on "127.0.0.1:)" + std::to_string(out.listen.port) + '"');
  }
  for (const auto& each : build.config.listen) {
    if (each.host != out.listen.host || each.port != out.listen.port || each.port == 0) continue;
    build.report.error(code::kDuplicate, *listen, "\"listen\" already has this address, for clients",
                       "administration needs a port of its own, as in \"127.0.0.1:9900\"");
  }
}

}  // namespace

void build_admin(Build& build) {
  const Node* written = find(&build.root, "admin");
  if (written != nullptr && written->kind == Kind::string) return;  // "off"
  auto& out = build.config.admin.emplace();
  if (written == nullptr || written->kind != Kind::object) return;
  out.if_taken = Admin::IfTaken::fail;
  read(written, "token", out.token);
  read(written, "read_token", out.read_token);
  if (const Node* listen = text_at(written, "listen")) {
    auto options = parse_listen(listen->text);
    if (options.has_error()) return;
    out.listen = std::move(*options);
    const auto position = build.report.position(listen->span.begin);
    build.config.places.admin = {position.line, position.column, std::string(build.report.file_at(listen->span.begin))};
  }
  check_roles(build, *written, out);
  check_listen(build, *written, out);
}

}  // namespace headgate::config
