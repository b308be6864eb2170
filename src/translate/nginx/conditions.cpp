#include "conditions.hpp"

#include "matches.hpp"
#include "translate/draft/addresses.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/path_regex.hpp"
#include "translate/draft/protect.hpp"
#include "translate/reading/numbers.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <set>

namespace headgate::translate {
namespace {

/// `if ($variable OPERATOR VALUE)`. The operator is empty if there is only a variable.
struct NginxTest {
  std::string variable;  ///< without '$'; empty for any other test
  std::string op;
  std::string value;
  std::string text;  ///< the condition without its value, which may be a secret
};

NginxTest test_in(const Directive& condition) {
  auto words = condition.words;
  if (!words.empty() && words.front().starts_with('(')) words.front().erase(0, 1);
  if (!words.empty() && words.front().empty()) words.erase(words.begin());
  if (!words.empty() && words.back().ends_with(')')) words.back().pop_back();
  NginxTest out;
  if (words.empty()) return out;
  if (words.front().starts_with('$')) out.variable = words.front().substr(1);
  if (words.size() > 1) out.op = words[1];
  if (words.size() > 2) out.value = words[2];
  out.text = "if (" + words.front() + (out.op.empty() ? "" : ' ' + out.op + " …") + ')';
  return out;
}

/// Returns whether a directive inside of an "if" changes nothing about where a request goes.
bool goes_on(const Directive& each) {
  static const std::set<std::string_view> kGoesOn = {"set",        "add_header", "access_log", "expires",   "gzip",
                                                     "limit_rate", "proxy_pass", "error_log",  "error_page"};
  return kGoesOn.contains(each.name);
}

const Directive* only_return(const Directive& condition) {
  const Directive* out = nullptr;
  for (const auto& each : condition.block) {
    if (each.name != "return") {
      if (goes_on(each)) continue;
      return nullptr;
    }
    if (out != nullptr) return nullptr;
    out = &each;
  }
  return out;
}

bool refuses(const Directive& answer) {
  const auto status = whole_count(answer.word(0));
  return status && *status >= 400 && *status <= 599;
}

}  // namespace

std::string https_port(std::string_view url) {
  constexpr std::string_view kHttps = "https://";
  if (!url.starts_with(kHttps)) return {};
  url.remove_prefix(kHttps.size());
  bool own_host = false;
  for (const std::string_view host : {"$host", "$http_host", "$server_name", "${host}"}) {
    if (own_host || !url.starts_with(host)) continue;
    url.remove_prefix(host.size());
    own_host = true;
  }
  if (!own_host) return {};
  std::string port = "true";
  if (url.starts_with(':')) {
    port = url.substr(1, url.find_first_of("/$", 1) - 1);
    url.remove_prefix(1 + port.size());
    if (!whole_count(port)) return {};
    if (port == "443") port = "true";
  }
  const bool same_path = url == "$request_uri" || url == "/$request_uri" || url == "$uri$is_args$args" || url == "$uri";
  return same_path ? port : std::string();
}

namespace {

bool is_plain_http(const NginxTest& test) {
  if (test.variable == "scheme" || test.variable == "http_x_forwarded_proto")
    return (test.op == "=" && test.value == "http") || (test.op == "!=" && test.value == "https");
  if (test.variable == "https")
    return (test.op == "=" && test.value.empty()) || (test.op == "!=" && test.value == "on");
  return false;
}

/// Returns the methods of "GET" or "^(GET|HEAD)$". Returns an empty list for any other expression.
std::vector<std::string> methods_in(std::string_view text) {
  for (const char* begin : {"^", "("})
    if (text.starts_with(begin)) text.remove_prefix(1);
  for (const char* end : {"$", ")"})
    if (text.ends_with(end)) text.remove_suffix(1);
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto one = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const bool plain = std::ranges::all_of(one, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (one.empty() || !plain) return {};
    out.emplace_back(one);
  }
  return out;
}

/// Returns the rules that refuse the addresses for which a variable of "geo" meets the test. Returns an empty list for
/// any other test.
std::vector<AddressRule> refused_by_geo(const NginxWork& work, const NginxTest& test, const Spot& spot) {
  const auto found = work.maps.find(test.variable);
  if (found == work.maps.end() || found->second->name != "geo") return {};
  const auto& geo = *found->second;
  if (geo.words.size() > 1 && geo.word(0) != "$remote_addr") return {};
  if (geo.block.size() >= kMaxAddressRules || (!test.op.empty() && test.op != "=" && test.op != "!=")) return {};
  const auto meets = [&](const std::string& value) {
    if (test.op.empty()) return !value.empty() && value != "0";
    return (value == test.value) == (test.op == "=");
  };
  struct Block {
    std::string text;
    unsigned long length;
    bool refused;
  };
  std::vector<Block> blocks;
  std::string otherwise;
  for (const auto& each : geo.block) {
    if (each.words.size() != 1) return {};
    if (each.name == "default") {
      otherwise = each.words.front();
      continue;
    }
    const auto slash = each.name.find('/');
    const auto length = slash == std::string::npos ? 128 : whole_count(each.name.substr(slash + 1)).value_or(0);
    const bool block = each.name.find_first_not_of("0123456789abcdefABCDEF.:/") == std::string::npos;
    if (!block) return {};
    blocks.push_back({each.name, length, meets(each.words.front())});
  }
  // In "geo" the smallest block decides, so the blocks are sorted from the smallest to the largest.
  std::ranges::stable_sort(blocks, [](const auto& a, const auto& b) { return a.length > b.length; });
  std::vector<AddressRule> out;
  for (const auto& each : blocks) out.push_back({.allow = !each.refused, .block = each.text, .spot = spot});
  out.push_back({.allow = !meets(otherwise), .block = "all", .spot = spot});
  return out;
}

/// Translates one condition of a level. take() returns whether that was possible.
class Condition {
 public:
  Condition(NginxWork& work, const Directive& written, DraftEntry& route, std::optional<NginxMethods>& methods)
      : work_(work), written_(written), route_(route), methods_(methods), test_(test_in(written)) {}

  void take() {
    if (std::ranges::all_of(written_.block, goes_on)) {
      if (work_.said.insert(place()).second)
        say(route_, Matter::lost, written_.spot, test_.text,
            "write a route with this condition: \"host\", \"path\", \"methods\", \"headers\" or \"query\"");
      return;
    }
    const auto* const answer = only_return(written_);
    if (answer == nullptr || !translated(*answer))
      close_once(work_, route_, "if", written_, test_.text,
                 "write a route with this condition, and what protects it: \"require\", \"basic\", \"auth\" or "
                 "\"addresses\"; a field that anybody can write is no proof");
  }

 private:
  std::string place() const { return written_.spot.file + ':' + std::to_string(written_.spot.line) + " if"; }

  bool translated(const Directive& answer) {
    const auto url = answer.words.size() > 1 ? answer.word(1) : answer.word(0);
    if (is_plain_http(test_)) return set_https(url);
    if (test_.variable == "host") return of_host(answer, url);
    if (test_.variable == "request_method") return refuses(answer) && of_methods(answer);
    if (test_.variable == "ssl_client_verify") return refuses(answer) && of_certificate();
    return refuses(answer) && of_addresses();
  }

  bool set_https(std::string_view url) {
    const auto port = https_port(url);
    if (port.empty()) return false;
    route_.set("redirect_to_https", port);
    return true;
  }

  bool of_host(const Directive& answer, std::string_view url) {
    const auto host = json_text(lower(test_.value));
    const auto own = route_.get("host");
    if (test_.op == "=" && !refuses(answer)) return (!own.empty() && own != host) || set_https(url);
    if (test_.op != "!=") return false;
    if (own.empty()) route_.set("host", host);  // requests for other hosts are refused, so no route is needed for them
    return own.empty() || own == host;
  }

  bool of_methods(const Directive& answer) {
    const bool regex = test_.op == "~" || test_.op == "!~";
    const auto named = regex ? methods_in(test_.value) : std::vector<std::string>{test_.value};
    const bool others = test_.op == "!=" || test_.op == "!~";
    if (named.empty() || named.front().empty() || methods_.has_value() || (!regex && test_.op != "=" && !others))
      return false;
    const auto status = answer.word(0) == "444" ? std::string("403") : std::string(answer.word(0));
    methods_ = NginxMethods{.methods = named,
                            .others = others,
                            .respond = object_of({{"status", status}}),
                            .from = &written_,
                            .block = nullptr};
    return true;
  }

  bool of_certificate() {
    if ((test_.op != "!=" || test_.value != "SUCCESS") && (test_.op != "=" || test_.value != "NONE")) return false;
    route_.set("require", json_text("mtls"));
    return true;
  }

  bool of_addresses() {
    const auto rules = refused_by_geo(work_, test_, written_.spot);
    if (rules.empty() || !route_.get("addresses").empty()) return false;
    set_addresses(rules, route_);
    return true;
  }

  NginxWork& work_;
  const Directive& written_;
  DraftEntry& route_;
  std::optional<NginxMethods>& methods_;
  NginxTest test_;
};

/// Recognises "rewrite ^ https://$host$request_uri? permanent" and similar redirects.
bool is_to_https(const Directive& rewrite) {
  static const std::set<std::string_view> kAll = {"^",     "^/(.*)$", "^/(.*)", "^(.*)$", "^(.*)",
                                                  "/(.*)", "(.*)",    ".*",     "^/.*"};
  return kAll.contains(rewrite.word(0)) && rewrite.word(1).starts_with("https://$") &&
         (rewrite.word(1).find("host") != std::string_view::npos ||
          rewrite.word(1).find("$server_name") != std::string_view::npos);
}

}  // namespace

bool leads_away(const Directive& rewrite) { return rewrite.word(2) != "break"; }

void close_once(NginxWork& work, DraftEntry& route, const std::string& protection, const Directive& directive,
                const std::string& what, const std::string& why) {
  const auto place = directive.spot.file + ':' + std::to_string(directive.spot.line) + ':' +
                     std::to_string(directive.spot.column) + " closed";
  if (work.said.insert(place).second)
    close_route(route, protection, directive.spot, what, why);
  else if (route.closed.empty())
    route.closed = protection;
}

void take_conditions(NginxWork& work, const Directive& level, DraftEntry& route, std::optional<NginxMethods>& methods) {
  const bool server = level.name == "server";
  for (const auto& each : level.block) {
    if (each.name == "if") Condition(work, each, route, methods).take();
    if (each.name != "rewrite" || (!server && !leads_away(each))) continue;
    if (is_to_https(each)) {
      route.set("redirect_to_https", "true");
      continue;
    }
    const auto path = std::string(route.get("path"));
    const auto taken = regex_path(each.word(0), Begins::anywhere).path;
    if (server && path.size() > 2 && !patterns_meet(std::string_view(path).substr(1, path.size() - 2), taken)) continue;
    close_once(work, route, "rewrite", each, each.text(),
               "its requests go elsewhere in nginx: write a route with \"redirect\", or with \"rewrite\" and what "
               "protects it");
  }
}

}  // namespace headgate::translate
