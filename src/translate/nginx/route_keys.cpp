// Translates header fields, timeouts and sizes of a location.

#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"

#include <algorithm>
#include <set>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

// headgate sends these fields with every request.
const std::set<std::string, std::less<>> kOwnFields = {"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",
                                                       "x-request-id",    "connection",        "upgrade",
                                                       "content-length",  "transfer-encoding", "via"};

/// Returns whether a fixed value of this field is a secret.
bool is_secret(const std::string& plain) {
  for (const auto* word : {"authorization", "cookie", "key", "token", "secret", "password", "signature"})
    if (plain.find(word) != std::string::npos) return true;
  return false;
}

/// Converts "X-Api-Key" to X_API_KEY, the name of an environment variable.
std::string variable_of(std::string_view field) {
  std::string out;
  for (const char c : field) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c == '-' ? '_' : c;
  return out;
}

/// Converts a value with nginx's variables to a quoted value with headgate's. Returns an empty text if a variable has
/// no counterpart.
std::string value_with_variables(const NginxScope& scope, std::string_view text) {
  static const std::map<std::string, std::string, std::less<>> kVariables = {{"remote_addr", "${client_ip}"},
                                                                             {"binary_remote_addr", "${client_ip}"},
                                                                             {"host", "${host}"},
                                                                             {"http_host", "${host}"},
                                                                             {"server_name", "${host}"},
                                                                             {"request_id", "${request_id}"}};
  std::string out;
  std::string plain;
  const auto flush = [&] {
    const auto json = json_text(plain);
    out += json.substr(1, json.size() - 2);
    plain.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      plain += text[i];
      continue;
    }
    std::size_t at = i + 1;
    const bool braces = at < text.size() && text[at] == '{';
    if (braces) ++at;
    const auto begin = at;
    while (at < text.size() && (text[at] == '_' || lower(text[at]) != text[at] ||
                                (text[at] >= 'a' && text[at] <= 'z') || (text[at] >= '0' && text[at] <= '9')))
      ++at;
    const auto name = text.substr(begin, at - begin);
    const auto found = kVariables.find(name);
    auto said = found == kVariables.end() ? said_by_service(scope, name) : std::string();
    if (name == "remote_user" && asks_password(scope)) said = "basic.user";
    if (found == kVariables.end() && said.empty()) return {};
    flush();
    out += said.empty() ? found->second : "${" + said + '}';
    i = braces && at < text.size() ? at : at - 1;
  }
  flush();
  return '"' + out + '"';
}

}  // namespace

void set_request_fields(NginxWork& work, const NginxScope& scope, const std::string& authority, bool is_block,
                        DraftEntry& route) {
  // Without "proxy_set_header Host", nginx sends the name that proxy_pass has.
  std::string host = is_block ? authority : "server";
  Members set;
  std::vector<std::string> remove;
  for (const auto* each : scope.all("proxy_set_header")) {
    const auto name = each->word(0);
    const auto value = each->word(1);
    const auto plain = lower(name);
    if (plain == "host") {
      host = value == "$host" || value == "$http_host" || value == "$host:$server_port" ? "keep"
             : value == "$proxy_host" ? (is_block ? authority : "server")
                                      : std::string(value);
      if (host.find('$') != std::string::npos) {
        say(route, Matter::lost, each->spot, each->text(),
            "headgate sends the client's Host, the server's name, or a fixed one");
        host = "keep";
      }
    } else if (kOwnFields.contains(plain)) {
      continue;
    } else if (value.empty()) {
      remove.emplace_back(name);
    } else if (is_secret(plain) && value.find('$') == std::string_view::npos) {
      const auto variable = variable_of(name);
      work.draft.variables.insert(variable);
      set.emplace_back(std::string(name), json_with_variables("${" + variable + "}"));
      if (work.said.insert("secret " + variable).second)
        say(route, Matter::differs, each->spot, each->name + ' ' + std::string(name),
            "secrets are not copied: the file takes this one from the environment, as " + variable);
    } else if (const auto json = value_with_variables(scope, value); !json.empty()) {
      set.emplace_back(std::string(name), json);
    } else if (lower(std::string(value)) != "$http_" + [&] {
                 auto field = plain;
                 std::replace(field.begin(), field.end(), '-', '_');
                 return field;
               }()) {  // the client's own value, which headgate passes on anyway
      say(route, Matter::lost, each->spot, each->text(), "headgate has no such variable");
    }
  }
  if (host != "keep") route.set("host_header", json_text(host));
  Members request;
  if (!remove.empty()) request.emplace_back("remove", texts_of(remove));
  if (!set.empty()) request.emplace_back("set", object_of(set));
  if (!request.empty()) route.set("request_headers", object_of(request));
}

void set_answer_fields(const NginxScope& scope, unsigned status, DraftEntry& route) {
  constexpr unsigned kFirstError = 400;
  Members add;
  std::vector<std::string> hidden;
  bool always = false;
  for (const auto* each : scope.all("proxy_hide_header")) hidden.emplace_back(each->word(0));
  for (const auto* each : scope.all("add_header")) {
    if (status >= kFirstError && each->word(2) != "always") continue;
    const auto json = value_with_variables(scope, each->word(1));
    if (json.empty()) {
      say(route, Matter::lost, each->spot, each->text(), "headgate has no such variable");
      continue;
    }
    add.emplace_back(std::string(each->word(0)), json);
    always = always || each->word(2) == "always";
  }
  Members response;
  if (!hidden.empty()) response.emplace_back("remove", texts_of(hidden));
  if (!add.empty()) response.emplace_back("add", object_of(add));
  if (always) response.emplace_back("always", "true");
  if (!response.empty()) route.set("response_headers", object_of(response));
}

void set_bounds(const NginxScope& scope, DraftEntry& route) {
  if (const auto* const size = scope.one("client_max_body_size")) {
    const auto bytes = nginx_size(size->word(0));
    // 0 means "no limit" in nginx and "no body" here.
    if (bytes) route.set("max_body", *bytes == 0 ? json_text("8192TiB") : json_text(size_text(*bytes)));
  }
  if (const auto* const time = scope.one("proxy_read_timeout"))
    if (const auto span = nginx_time(time->word(0)); span && *span > 0) {
      route.set("timeout", milliseconds(*span));
      route.set("between_bytes", milliseconds(*span));
    }
}

}  // namespace headgate::translate
