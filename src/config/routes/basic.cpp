// The users of a route with basic authentication.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/gateway/basic/basic_auth.hpp"
#include "headgate/identity/users.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace headgate::config {
namespace {

constexpr std::size_t kLongestRealm = 128;

std::optional<LiteralError> check_realm(std::string_view text) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (!text.empty() && text.size() <= kLongestRealm && std::all_of(text.begin(), text.end(), plain))
    return std::nullopt;
  return LiteralError{"a realm is 1 to " + std::to_string(kLongestRealm) + " printable ASCII characters",
                      R"(write a name that visitors know, as in "staging")"};
}

constexpr Shape kRealm = text("a realm", check_realm);
constexpr Key kBasicKeys[] = {
    {"file", &kFilePath, "", R"("/etc/headgate/users.htpasswd")",
     "User file with `name:bcrypt-hash` on each line, as `htpasswd -B` writes it. Read again when it changes",
     required},
    {"realm", &kRealm, kOfOptions, R"("staging")", "Realm that browsers show; routes with the same realm ask once",
     into<&gateway::BasicAuth::realm>},
    {"pass_on", &kBoolean, kOfOptions, "true", "Whether the password is passed on to the server in `Authorization`",
     into<&gateway::BasicAuth::pass_on>},
};
constexpr Section kBasicSection{
    "basic", "routes[].basic",
    "Users who may use the route by basic authentication: a file or an object; see [basic_auth.md](basic_auth.md).",
    kBasicKeys};
constexpr Shape kBasicObject = section(kBasicSection);
constexpr const Shape* kBasicForms[] = {&kFilePath, &kBasicObject};

}  // namespace

constexpr Shape kBasicShape = either("a file's path or an object", kBasicForms);

namespace {

using gateway::Require;
using gateway::RouteOptions;

constexpr const char* kAuthorizationField = "authorization";

const Node* file_node(const Node& basic) { return basic.kind == Kind::string ? &basic : text_at(&basic, "file"); }

/// Returns the index of the file among all user files. If the file is new, checks its current contents; the gateway
/// reads the file again after every change.
std::size_t user_file_number(Build& build, const Node& file) {
  auto& files = build.config.identity.user_files;
  const auto known = std::find(files.begin(), files.end(), file.text);
  if (known != files.end()) return static_cast<std::size_t>(known - files.begin());
  files.push_back(file.text);
  const auto content = read_text_file(file.text, identity::kLongestUserFile);
  const auto what = "the file of users " + in_quotes(file.written);
  if (!content.text) {
    build.report.error(code::kCredentials, file, what + " cannot be read: " + content.why_not,
                       "make one: htpasswd -B -C 10 -c users.htpasswd NAME");
    return files.size() - 1;
  }
  const auto read = identity::read_users(*content.text);
  if (read.has_error())
    build.report.error(
        code::kCredentials, file,
        what + " has a mistake in line " + std::to_string(read.error().line) + ": " + read.error().message,
        read.error().help);
  else if (read->size() == 0)
    build.report.warning(code::kCredentials, file, what + " names nobody, so nobody can use this route",
                         "add a user: htpasswd -B -C 10 users.htpasswd NAME");
  return files.size() - 1;
}

/// Checks that neither API keys nor a required token are expected in Authorization, which can contain only one
/// credential.
void check_place_of_password(Build& build, const RouteOptions& route, const Node& node) {
  const auto& identity = build.config.identity;
  const auto& headers = identity.api_key.headers;
  const bool key = identity.api_key.written && std::ranges::find(headers, kAuthorizationField) != headers.end();
  if (key)
    build.report.error_at_key(code::kConflict, node,
                              "passwords are sent in \"Authorization\", from which API keys are read, too",
                              R"(give the keys another field: "identity": { "api_key": { "header": "X-API-Key" } })");
  if (route.require == Require::jwt && has_no_place_for_tokens(build, route))
    build.report.error_at_key(code::kConflict, node,
                              "this route requires a token, too, and \"Authorization\" can hold only one of the two",
                              R"(give tokens another place: "identity": { "jwt": { "cookie": "session" } })");
}

}  // namespace

bool has_no_place_for_tokens(const Build& build, const gateway::RouteOptions& route) {
  const auto& jwt = build.config.identity.jwt;
  return route.basic && jwt && jwt->header == kAuthorizationField && jwt->cookie.empty() && jwt->query.empty();
}

namespace {

bool is_this_machine(const net::ListenOptions& listen) {
  boost::system::error_code ec;
  const auto address = boost::asio::ip::make_address(listen.host, ec);
  return !ec && address.is_loopback();
}

}  // namespace

void build_basic(Build& build, const Node& route, RouteOptions& out) {
  const Node* written = find(&route, "basic");
  if (written == nullptr) return;
  const Node* file = file_node(*written);
  if (file == nullptr || check_file_path(file->text)) return;
  gateway::BasicAuth basic;
  if (written->kind == Kind::object) fill(written, kBasicSection, basic);
  basic.file = user_file_number(build, *file);
  out.basic = std::make_shared<const gateway::BasicAuth>(std::move(basic));
}

void check_basic(Build& build) {
  const auto& config = build.config;
  const bool proxied = !config.identity.trusted_proxies.empty();  // TLS may end at a proxy
  const auto plain = std::ranges::find_if(config.listen, [&](const net::ListenOptions& each) {
    return !proxied && !each.tls && each.https_port == 0 && !is_this_machine(each);
  });
  bool told = false;
  for (std::size_t i = 0; i < config.gateway.routes.size(); ++i) {
    const auto& route = config.gateway.routes[i];
    if (!route.basic) continue;
    const Node& node = *find(build.route_nodes[i], "basic");
    check_place_of_password(build, route, node);
    if (told || plain == config.listen.end() || route.https_port.value_or(0) != 0) continue;
    told = true;
    build.report.warning_at_key(
        code::kGuessable, node, "passwords arrive in clear text at " + in_quotes(plain->text) + ", which has no TLS",
        R"(add "tls" to the listener, or "redirect_to_https": true to the listener or the route)");
  }
}

}  // namespace headgate::config
