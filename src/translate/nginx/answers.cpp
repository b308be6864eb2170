// Translates "return" into a fixed answer or a redirect.

#include "conditions.hpp"
#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"
#include "translate/reading/numbers.hpp"

#include <algorithm>
#include <cstdint>

namespace headgate::translate {
namespace {

bool take_off(std::string& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.erase(0, begin.size());
  return true;
}

/// Converts a URL such as "https://$host$request_uri" into "to" of a redirect of this route. Returns an empty text if a
/// variable remains.
std::string target_of(std::string url, const std::string& path, const std::string& host) {
  const bool same_scheme = take_off(url, "$scheme://");
  std::string out;
  if (!same_scheme && take_off(url, "https://")) out = "https://";
  if (!same_scheme && out.empty() && take_off(url, "http://")) out = "http://";
  bool own_host = false;
  for (const auto* variable : {"$host", "$http_host", "$server_name", "${host}"})
    own_host = own_host || take_off(url, variable);
  if (own_host && !same_scheme) {
    if (host.empty() || host.starts_with("*.")) return {};
    out += host;
  } else if (same_scheme && !own_host) {
    return {};  // such a URL would keep the scheme of the request but name another host
  }
  bool whole_path = false;
  for (const auto* variable : {"$request_uri", "$uri$is_args$args", "$uri"}) {
    if (!url.ends_with(variable)) continue;
    url.erase(url.size() - std::string_view(variable).size());
    whole_path = true;
    break;
  }
  if (url.find('$') != std::string::npos) return {};
  if (whole_path && url.ends_with('/')) url.pop_back();
  out += url;
  if (whole_path) out += path;
  return out;
}

}  // namespace

unsigned status_of(const Directive& directive) {
  constexpr unsigned kFound = 302;
  return static_cast<unsigned>(std::min<std::uint64_t>(whole_count(directive.word(0)).value_or(kFound), 999));
}

void answer(const Directive& directive, const NginxScope& scope, const std::string& path, const std::string& host,
            DraftEntry& route) {
  unsigned status = status_of(directive);
  const bool has_status = whole_count(directive.word(0)).has_value();
  auto text = std::string(directive.word(has_status ? 1 : 0));
  const bool redirects = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  if (!has_status || (redirects && !text.empty())) {
    const auto to = target_of(text, path, host);
    if (!to.empty()) {
      route.set("redirect", object_of({{"to", json_text(to)}, {"status", std::to_string(status)}}));
      return;
    }
    route.set("respond", R"({ "status": 404 })");
    if (const auto port = https_port(text); !port.empty()) return route.set("redirect_to_https", port);
    say(route, Matter::lost, directive.spot, directive.text(), "headgate has no such variables in a redirect");
    return;
  }
  if (status == 444) {
    say(route, Matter::differs, directive.spot, directive.text(), "nginx closes the connection; headgate answers 404");
    status = 404;
  }
  if (status < 200 || status > 599 || redirects) {
    say(route, Matter::lost, directive.spot, directive.text(), "headgate does not answer so");
    status = 404;
  }
  std::vector<std::pair<std::string, std::string>> members{{"status", std::to_string(status)}};
  if (text.find('$') != std::string::npos)
    say(route, Matter::lost, directive.spot, directive.text(), "headgate has no variables in the body of an answer");
  else if (!text.empty())
    members.emplace_back("body", json_text(text));
  if (const auto* const type = scope.one("default_type"); type != nullptr && !text.empty())
    members.emplace_back("content_type", json_text(type->word(0)));
  route.set("respond", object_of(members));
}

}  // namespace headgate::translate
