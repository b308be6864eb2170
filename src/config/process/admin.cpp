// The admin port and its tokens.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace headgate::config {
namespace {

constexpr Shape kTokenList = list("a list of texts", kText, 1, 8);
constexpr const Shape* kTokenForms[] = {&kText, &kTokenList};
constexpr Shape kTokens = either("text, or a list of texts", kTokenForms);

constexpr Key kAdminKeys[] = {
    {"listen", &kListenAddress, "127.0.0.1:9900", R"("127.0.0.1:9900")",
     "Address of the admin port. An address that other machines can reach needs a `token`"},
    {"token", &kTokens, "", R"("${HEADGATE_ADMIN_TOKEN}")",
     "Token, or a list during a change of tokens. Everything except `/healthz`, `/readyz` and the dashboard's files "
     "then requires `Authorization: Bearer` with it"},
    {"read_token", &kTokens, "", R"("${HEADGATE_READ_TOKEN}")",
     "Read-only token, or a list, for scrapers and viewers. It reads everything except the heads of refused requests, "
     "and changes nothing. Needs a `token`"},
};
constexpr Section kAdmin{"admin", "admin", R"(Metrics and administration; `"off"` disables them.)", kAdminKeys};
constexpr Shape kAdminObject = section(kAdmin);
constexpr Shape kAdminWord = choice(kAdminWords);
constexpr const Shape* kAdminForms[] = {&kAdminObject, &kAdminWord};

}  // namespace

constexpr Shape kAdminShape = either("an object or \"off\"", kAdminForms);

namespace {

constexpr std::size_t kShortToken = 16;  // bytes; shorter tokens can be guessed over a network

bool is_loopback(const std::string& host) {
  boost::system::error_code ec;
  const auto address = boost::asio::ip::make_address(host, ec);
  return !ec && address.is_loopback();
}

void check_token(Build& build, const Node& token, const char* name, const char* variable) {
  if (token.text.empty()) {
    build.report.error(code::kCredentials, token, "this token is empty",
                       std::string("write \"") + name + "\": \"${" + variable + "}\"");
  } else if (check_field_value(token.text)) {
    build.report.error(code::kCredentials, token, "this token cannot be sent in a header field",
                       "make one of letters and digits: openssl rand -hex 24");
  } else if (token.text.size() < kShortToken) {
    build.report.warning(code::kGuessable, token,
                         "a token of " + std::to_string(token.text.size()) + " bytes can be guessed",
                         "make one of 16 or more: openssl rand -hex 24");
  }
}

/// Reads the token, or the list of tokens, with this name.
std::vector<std::string> tokens_of(Build& build, const Node& admin, const char* name, const char* variable) {
  std::vector<std::string> out;
  for (const Node* token : texts(find(&admin, name))) {
    check_token(build, *token, name, variable);
    if (!token->text.empty() && std::find(out.begin(), out.end(), token->text) != out.end())
      build.report.warning(code::kDuplicate, *token, "this token is in the list already",
                           "a list is for a token and the one that replaces it: openssl rand -hex 24");
    out.push_back(token->text);
  }
  return out;
}

void check_roles(Build& build, const Node& admin, const Admin& out) {
  const auto readers = texts(find(&admin, "read_token"));
  if (readers.empty()) return;
  if (find(&admin, "token") == nullptr)
    return build.report.error(code::kCredentials, *readers.front(),
                              "with a \"read_token\" alone nobody could change anything",
                              R"(add "token": "${HEADGATE_ADMIN_TOKEN}")");
  for (const Node* reader : readers) {
    if (reader->text.empty() || std::find(out.tokens.begin(), out.tokens.end(), reader->text) == out.tokens.end())
      continue;
    const bool lists = out.tokens.size() + out.read_tokens.size() > 2;
    build.report.error(code::kCredentials, *reader,
                       lists ? "this is one of \"token\" too, so anyone who may read may also change everything"
                             : "both tokens are the same, so anyone who may read may also change everything",
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
    build.report.error(code::kDuplicate, *listen, "\"listen\" already uses this address for clients",
                       "administration needs a port of its own, as in \"127.0.0.1:9900\"");
  }
}

}  // namespace

void build_admin(Build& build) {
  const Node* written = find(&build.root, "admin");
  if (written != nullptr && written->kind == Kind::string) return;  // the value is "off"
  auto& out = build.config.admin.emplace();
  if (written == nullptr || written->kind != Kind::object) return;
  out.if_taken = Admin::IfTaken::fail;
  out.tokens = tokens_of(build, *written, "token", "HEADGATE_ADMIN_TOKEN");
  out.read_tokens = tokens_of(build, *written, "read_token", "HEADGATE_READ_TOKEN");
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
