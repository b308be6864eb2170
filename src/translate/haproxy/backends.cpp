// Translates the servers of a backend and its balancing policy.

#include "translate/draft/json.hpp"
#include "translate/haproxy/work.hpp"
#include "translate/reading/numbers.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

bool has(const HaproxyLine& line, std::string_view word) {
  return std::find(line.words.begin(), line.words.end(), word) != line.words.end();
}

struct Servers {
  std::vector<std::string> json;
  bool tls = false;
  bool checked = false;
  bool bounded = false;
  std::string inter, fall, rise, ca, verify;
};

void take_server(const HaproxyLine& line, const HaproxyLine* defaults, Servers& out, DraftEntry& upstream) {
  std::string address(line.word(2));
  const auto value = [&](std::string_view name) {
    const auto own = line.after(name);
    return own.empty() && defaults != nullptr ? defaults->after(name) : own;
  };
  const auto flag = [&](std::string_view name) {
    return has(line, name) || (defaults != nullptr && has(*defaults, name));
  };
  for (const auto* kind : {"ipv4@", "ipv6@"})
    if (address.starts_with(kind)) address.erase(0, 5);
  if (address.empty() || address.starts_with("unix@") || address.starts_with('/') || address.starts_with("abns@"))
    return say(upstream, Matter::lost, line.spot, line.text(), "headgate only connects over TCP");
  if (has(line, "disabled")) return say(upstream, Matter::aside, line.spot, line.text(), "it is disabled");
  const bool tls = flag("ssl");
  out.tls = out.tls || tls;
  if (address.rfind(':') == std::string::npos || address.ends_with(']')) address += tls ? ":443" : ":80";
  Members members{{"url", json_text((tls ? "https://" : "http://") + address)}};
  if (const auto weight = value("weight"); whole_count(weight)) {
    if (weight == "0") return say(upstream, Matter::aside, line.spot, line.text(), "its weight is 0");
    members.emplace_back("weight", std::string(weight));
  }
  if (flag("backup")) members.emplace_back("backup", "true");
  if (const auto most = value("maxconn"); whole_count(most) && most != "0") {
    members.emplace_back("max_in_flight", std::string(most));
    out.bounded = true;
  }
  out.checked = out.checked || flag("check");
  if (out.inter.empty()) out.inter = value("inter");
  if (out.fall.empty()) out.fall = value("fall");
  if (out.rise.empty()) out.rise = value("rise");
  if (out.ca.empty()) out.ca = value("ca-file");
  if (out.verify.empty()) out.verify = value("verify");
  for (const auto* other : {"send-proxy", "send-proxy-v2", "cookie", "proto", "crt", "track", "agent-check"})
    if (has(line, other)) say(upstream, Matter::lost, line.spot, other, "headgate has no equivalent");
  out.json.push_back(members.size() == 1 ? members.front().second : object_of(members));
}

void set_health(const HaproxyProxy& proxy, const Servers& servers, DraftEntry& upstream) {
  if (!servers.checked) return;
  Members members;
  const auto* const check = last_line(proxy, "option", "httpchk");
  const auto* const send = last_line(proxy, "http-check", "send");
  std::string path;
  if (check != nullptr) path = check->words.size() > 3 ? check->word(3) : check->word(2);
  if (send != nullptr && !send->after("uri").empty()) path = send->after("uri");
  if (check != nullptr && path.empty()) path = "/";
  if (path.starts_with('/')) members.emplace_back("path", json_text(path));
  const auto method = check != nullptr && check->words.size() > 3 ? check->word(2) : std::string_view();
  if (!method.empty() && method != "GET" && check != nullptr)
    say(upstream, Matter::differs, check->spot, check->text(), "headgate's health checks use GET");
  if (const auto* const expect = last_line(proxy, "http-check", "expect")) {
    if (expect->word(2) == "status" && whole_count(expect->word(3)))
      members.emplace_back("expect", list_of({std::string(expect->word(3))}));
    else
      say(upstream, Matter::lost, expect->spot, expect->text(),
          "health checks of headgate compare the status: \"expect\"");
  } else if (check != nullptr) {
    members.emplace_back("expect", R"(["200-399"])");
  }
  const auto every = servers.inter.empty() ? std::optional<std::uint64_t>(2000) : haproxy_time(servers.inter);
  if (every && *every > 0) members.emplace_back("every", milliseconds(*every));
  if (whole_count(servers.fall)) members.emplace_back("down_after", servers.fall);
  if (whole_count(servers.rise)) members.emplace_back("up_after", servers.rise);
  upstream.set("health", object_of(members));
}

void set_balance(const HaproxyProxy& proxy, DraftEntry& upstream) {
  const auto* const line = last_line(proxy, "balance");
  if (line == nullptr) return;
  const auto policy = line->word(1);
  const auto hash = [&](const std::string& per) {
    upstream.set("balance", object_of({{"policy", json_text("consistent_hash")}, {"per", json_text(per)}}));
  };
  if (policy == "leastconn") {
    upstream.set("balance", json_text("least_in_flight"));
  } else if (policy == "random" || policy.starts_with("random(")) {
    upstream.set("balance", json_text("two_choices"));
  } else if (policy == "source") {
    hash("client_ip");
  } else if (policy.starts_with("hdr(") && policy.ends_with(')')) {
    hash("header:" + std::string(policy.substr(4, policy.size() - 5)));
  } else if (policy != "roundrobin" && policy != "static-rr") {
    say(upstream, Matter::lost, line->spot, line->text(), "headgate has no such policy: choose one in \"balance\"");
  }
}

void set_times(const HaproxyProxy& proxy, const Servers& servers, DraftEntry& upstream) {
  const auto time = [&](std::string_view name) {
    const auto* const line = last_line(proxy, "timeout", name);
    return line == nullptr ? std::nullopt : haproxy_time(line->word(2));
  };
  const auto connect = time("connect");
  if (connect && *connect > 0) upstream.set("connect_timeout", milliseconds(*connect));
  if (!servers.bounded) return;
  auto queue = time("queue");
  if (!queue) queue = connect;
  const auto wait = std::min<std::uint64_t>(queue.value_or(5000), 60'000);
  upstream.set("queue", object_of({{"length", "1000"}, {"wait", milliseconds(std::max<std::uint64_t>(wait, 1))}}));
}

}  // namespace

std::string haproxy_upstream(HaproxyWork& work, const std::string& backend) {
  if (const auto known = work.upstreams.find(backend); known != work.upstreams.end()) return known->second;
  const auto found = work.proxies.find(backend);
  if (found == work.proxies.end()) return work.upstreams[backend] = {};
  const auto& proxy = found->second;
  DraftEntry upstream;
  upstream.spot = proxy.section->head.spot;
  upstream.from = proxy.section->head.text();
  Servers servers;
  const auto* const defaults = last_line(proxy, "default-server");
  for (const auto* line : proxy.lines) {
    if (line->begins("server")) take_server(*line, defaults, servers, upstream);
    if (line->begins("server-template"))
      say(upstream, Matter::lost, line->spot, line->text(),
          "headgate uses all addresses of a server's name: write the name as one server");
  }
  upstream.set("servers", list_of(servers.json));
  set_balance(proxy, upstream);
  set_times(proxy, servers, upstream);
  set_health(proxy, servers, upstream);
  if (servers.tls) {
    Members tls;
    if (!servers.ca.empty() && servers.ca != "@system-ca") tls.emplace_back("ca", json_text(servers.ca));
    if (servers.verify == "none" || (servers.verify.empty() && servers.ca.empty())) tls.emplace_back("verify", "false");
    if (!tls.empty()) upstream.set("tls", object_of(tls));
  }
  upstream.name = free_name(backend, work.draft.upstream_names);
  if (servers.json.empty() && last_line(proxy, "stick-table") != nullptr)
    return work.upstreams[backend] = {};  // the backend has no servers, only a stick-table
  if (servers.json.empty()) {
    upstream.off = true;
    say(upstream, Matter::lost, upstream.spot, upstream.from, "none of its servers was translated");
  }
  work.upstreams[backend] = upstream.off ? std::string() : upstream.name;
  work.draft.upstreams.push_back(std::move(upstream));
  return work.upstreams[backend];
}

}  // namespace headgate::translate
