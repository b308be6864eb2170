// Translates "upstream" blocks, and addresses in proxy_pass.

#include "known.hpp"
#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"
#include "translate/reading/numbers.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

struct Server {
  std::string address;
  std::vector<std::pair<std::string, std::string>> more;  ///< further keys with their JSON values
};

/// Sets the balancing policy of the upstream.
void set_balance(const Directive& directive, NginxWork& work, DraftEntry& upstream) {
  if (directive.name == "least_conn") upstream.set("balance", json_text("least_in_flight"));
  if (directive.name == "random") upstream.set("balance", json_text("two_choices"));
  if (directive.name == "ip_hash") {
    upstream.set("balance", object_of({{"policy", json_text("consistent_hash")}, {"per", json_text("client_ip")}}));
    say(upstream, Matter::differs, directive.spot, directive.text(),
        "headgate hashes the whole address, nginx three bytes of an IPv4 address");
  }
  if (directive.name == "hash") {
    auto key = nginx_key(work, std::string(directive.word(0)), directive.spot);
    for (auto& remark : key.remarks) upstream.remarks.push_back(std::move(remark));
    if (!key.per.empty())
      upstream.set("balance", object_of({{"policy", json_text("consistent_hash")}, {"per", key.per}}));
    if (directive.word(1) != "consistent")
      say(upstream, Matter::differs, directive.spot, directive.text(), "headgate's hash is always consistent");
  }
}

/// Translates a parameter of a server, such as "max_fails=2".
void take_parameter(const Directive& directive, std::string_view word, Server& server, DraftEntry& upstream,
                    std::string& fails, std::string& time) {
  const auto value = [&](std::string_view name) { return word.substr(name.size()); };
  if (word.starts_with("weight=")) {
    server.more.emplace_back("weight", std::string(value("weight=")));
  } else if (word == "backup") {
    server.more.emplace_back("backup", "true");
  } else if (word.starts_with("max_conns=")) {
    if (value("max_conns=") != "0") server.more.emplace_back("max_in_flight", std::string(value("max_conns=")));
  } else if (word.starts_with("max_fails=")) {
    fails = value("max_fails=");
  } else if (word.starts_with("fail_timeout=")) {
    time = value("fail_timeout=");
  } else if (word.starts_with("slow_start=")) {
    if (const auto start = nginx_time(value("slow_start="))) upstream.set("slow_start", milliseconds(*start));
  } else if (word == "resolve") {
    return;  // headgate always resolves names
  } else {
    say(upstream, Matter::lost, directive.spot, std::string(word), "headgate has no equivalent");
  }
}

/// Sets when servers are ejected. nginx has these settings for each server, headgate for the whole upstream.
void set_ejection(const Directive& block, DraftEntry& upstream, const std::set<std::string>& fails,
                  const std::set<std::string>& times) {
  if (fails.empty() && times.empty()) return;
  if (fails.size() > 1 || times.size() > 1)
    say(upstream, Matter::differs, block.spot, "max_fails, fail_timeout",
        "they differ from server to server; headgate has one rule for an upstream, that of the first");
  const auto count = fails.empty() ? std::string("1") : *fails.begin();
  if (count == "0") return upstream.set("eject", json_text("off"));
  std::vector<std::pair<std::string, std::string>> members;
  if (whole_count(count)) members.emplace_back("in_a_row", count);
  if (const auto time = times.empty() ? std::nullopt : nginx_time(*times.begin()); time && *time > 0)
    members.emplace_back("time", milliseconds(*time));
  if (!members.empty()) upstream.set("eject", object_of(members));
}

/// Sets the URLs of an upstream with the scheme of proxy_pass.
void set_servers(DraftEntry& upstream, const std::vector<Server>& servers, std::string_view scheme) {
  std::vector<std::string> values;
  for (const auto& server : servers) {
    const auto url = json_text(std::string(scheme) + "://" + server.address);
    auto members = server.more;
    members.insert(members.begin(), {"url", url});
    values.push_back(server.more.empty() ? url : object_of(members));
  }
  upstream.set("servers", list_of(values));
}

void take_upstream(NginxWork& work, const Directive& block) {
  work.upstreams["http://" + std::string(block.word(0))] = {work.draft.upstreams.size(), true};
  auto& upstream = work.draft.upstreams.emplace_back();
  upstream.name = free_name(block.word(0), work.draft.upstream_names);
  upstream.spot = block.spot;
  upstream.from = block.text();
  std::vector<Server> servers;
  std::set<std::string> fails;
  std::set<std::string> times;
  for (const auto& each : block.block) {
    if (each.name == "server") {
      Server server{.address = std::string(each.word(0)), .more = {}};
      if (server.address.starts_with("unix:")) {
        say(upstream, Matter::lost, each.spot, each.text(), "headgate only connects over TCP");
        continue;
      }
      if (std::find(each.words.begin(), each.words.end(), "down") != each.words.end()) {
        say(upstream, Matter::aside, each.spot, each.text(), "it is down");
        continue;
      }
      std::string fail;
      std::string time;
      for (std::size_t i = 1; i < each.words.size(); ++i)
        take_parameter(each, each.words[i], server, upstream, fail, time);
      if (!fail.empty()) fails.insert(fail);
      if (!time.empty()) times.insert(time);
      servers.push_back(std::move(server));
    } else if (const auto* const known = find_word(upstream_directives(), each.name); known == nullptr) {
      say(upstream, Matter::lost, each.spot, each.text(), "headgate import does not know it");
    } else if (known->becomes.empty()) {
      say(upstream, known->matter, each.spot, each.text(), std::string(known->why));
    } else if (each.name == "keepalive") {
      if (whole_count(each.word(0))) upstream.set("max_idle", std::string(each.word(0)));
    } else {
      set_balance(each, work, upstream);
    }
  }
  set_servers(upstream, servers, "http");
  // "servers" becomes the first key
  std::rotate(upstream.fields.begin(), upstream.fields.end() - 1, upstream.fields.end());
  set_ejection(block, upstream, fails, times);
  if (servers.empty()) {
    upstream.off = true;
    say(upstream, Matter::lost, block.spot, block.text(), "none of its servers was translated");
  }
}

/// Sets timeouts, retries and TLS. nginx has them in a location, headgate in the upstream.
void set_delivery(NginxWork& work, const NginxScope& scope, DraftEntry& upstream, bool tls) {
  const auto put = [&](std::string_view key, const std::string& json, const Directive& from) {
    const auto before = upstream.get(key);
    if (before.empty())
      upstream.set(key, json);
    else if (before != json && work.said.insert(upstream.name + ' ' + std::string(key)).second)
      say(upstream, Matter::lost, from.spot, from.text(), "another location has another value for the same servers");
  };
  if (const auto* const time = scope.one("proxy_connect_timeout"))
    if (const auto span = nginx_time(time->word(0))) put("connect_timeout", milliseconds(*span), *time);
  if (const auto* const next = scope.one("proxy_next_upstream")) {
    if (next->word(0) == "off") {
      put("retry", R"({ "attempts": 1 })", *next);
    } else {
      std::vector<std::string> on{json_text("connect_error")};
      for (const auto& word : next->words) {
        if (word == "error") on.push_back(json_text("closed"));
        if (word == "timeout") on.push_back(json_text("timeout"));
        if (word.starts_with("http_5") && whole_count(word.substr(5))) on.push_back(word.substr(5));
        if (word == "http_429") on.emplace_back("429");
        if ((word == "http_403" || word == "http_404" || word == "invalid_header" || word == "non_idempotent") &&
            work.said.insert(upstream.name + " next " + word).second)
          say(upstream, Matter::lost, next->spot, word, "headgate does not retry in this case");
      }
      const auto* const tries = scope.one("proxy_next_upstream_tries");
      const auto attempts = tries != nullptr && whole_count(tries->word(0)) && tries->word(0) != "0"
                                ? std::string(tries->word(0))
                                : std::string("2");
      std::vector<std::pair<std::string, std::string>> members{{"attempts", attempts}, {"on", list_of(on)}};
      if (std::find(on.begin(), on.end(), json_text("timeout")) != on.end())
        members.emplace_back("timeout_each", json_text("10s"));
      put("retry", object_of(members), *next);
    }
  }
  if (!tls) return;
  std::vector<std::pair<std::string, std::string>> members;
  if (const auto* const ca = scope.one("proxy_ssl_trusted_certificate"))
    members.emplace_back("ca", json_text(ca->word(0)));
  if (const auto* const own = scope.one("proxy_ssl_certificate"))
    members.emplace_back("certificate", json_text(own->word(0)));
  if (const auto* const key = scope.one("proxy_ssl_certificate_key"))
    members.emplace_back("key", json_text(key->word(0)));
  if (const auto* const name = scope.one("proxy_ssl_name");
      name != nullptr && name->word(0).find('$') == std::string_view::npos)
    members.emplace_back("server_name", json_text(name->word(0)));
  if (!scope.on("proxy_ssl_verify")) {
    members.emplace_back("verify", "false");
    if (work.said.insert("verify " + upstream.name).second)
      upstream.comments.push_back(
          "nginx does not verify this server unless proxy_ssl_verify is on: better to leave \"verify\" out.");
  }
  upstream.set("tls", object_of(members));
}

/// Returns a copy of an upstream with TLS. In nginx, the scheme in proxy_pass decides about TLS, not the upstream.
NginxUpstream over_tls(NginxWork& work, const NginxUpstream& plain) {
  auto copy = work.draft.upstreams[plain.index];
  copy.name = free_name(copy.name + "-tls", work.draft.upstream_names);
  copy.remarks.clear();
  std::string servers(copy.get("servers"));
  constexpr std::string_view kHttp = "\"http://";
  constexpr std::string_view kHttps = "\"https://";
  for (auto at = servers.find(kHttp); at != std::string::npos; at = servers.find(kHttp, at + kHttps.size()))
    servers.replace(at, kHttp.size(), kHttps);
  copy.set("servers", servers);
  work.draft.upstreams.push_back(std::move(copy));
  return {work.draft.upstreams.size() - 1, true};
}

}  // namespace

void take_upstreams(NginxWork& work, const std::vector<Directive>& level) {
  for (const auto& each : level)
    if (each.name == "upstream" && each.has_block) take_upstream(work, each);
}

std::string upstream_for(NginxWork& work, const Directive& proxy_pass, const NginxScope& scope, DraftEntry& route,
                         std::string& authority, std::string& path, bool& is_block) {
  const auto target = proxy_pass.word(0);
  const bool tls = target.starts_with("https://");
  const auto lost = [&](const char* why) {
    say(route, Matter::lost, proxy_pass.spot, proxy_pass.text(), why);
    return std::string();
  };
  if (!tls && !target.starts_with("http://")) return lost("it is no http:// or https:// address");
  const auto rest = target.substr(tls ? 8 : 7);
  if (rest.starts_with("unix:")) return lost("headgate only connects over TCP");
  authority = rest.substr(0, rest.find('/'));
  path = rest.substr(authority.size());
  if (authority.find('$') != std::string::npos)
    return lost("headgate has fixed upstreams, and no variables in their names");
  if (path.find('$') != std::string::npos) {
    say(route, Matter::lost, proxy_pass.spot, proxy_pass.text(),
        "headgate has no variables in a path: servers get the client's");
    path.clear();
  }
  const auto id = (tls ? "https://" : "http://") + authority;
  auto known = work.upstreams.find(id);
  if (known == work.upstreams.end()) {
    const auto plain = work.upstreams.find("http://" + authority);
    if (tls && plain != work.upstreams.end() && plain->second.is_block) {
      known = work.upstreams.emplace(id, over_tls(work, plain->second)).first;
    } else {
      known = work.upstreams.emplace(id, NginxUpstream{work.draft.upstreams.size(), false}).first;
      auto& upstream = work.draft.upstreams.emplace_back();
      upstream.name = free_name(authority, work.draft.upstream_names);
      upstream.spot = proxy_pass.spot;
      upstream.from = proxy_pass.text();
      upstream.set("servers", list_of({json_text(id)}));
    }
  }
  auto& upstream = work.draft.upstreams[known->second.index];
  if (upstream.off) return lost("none of the servers of this upstream was translated");
  is_block = known->second.is_block;
  set_delivery(work, scope, upstream, tls);
  return upstream.name;
}

}  // namespace headgate::translate
