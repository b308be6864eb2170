// Translates "server" blocks: where they listen, their names, and which server answers all other names.

#include "conditions.hpp"
#include "protection.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/nginx/work.hpp"
#include "translate/reading/numbers.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <filesystem>

namespace headgate::translate {
namespace {

const Directive* own(const std::vector<Directive>& block, std::string_view name) {
  for (const auto& each : block)
    if (each.name == name) return &each;
  return nullptr;
}

struct Listen {
  std::string address;  ///< address for headgate; empty if it cannot be translated
  bool tls = false;
  bool is_default = false;
  bool proxy_protocol = false;
};

/// Converts "80", "*:80", "0.0.0.0:80" and "[::]:80" to ":80".
std::string address_of(std::string_view text) {
  if (whole_count(text)) return ":" + std::string(text);
  for (const auto* any : {"*:", "[::]:", "0.0.0.0:"})
    if (text.starts_with(any)) return ":" + std::string(text.substr(std::string_view(any).size()));
  if (text.starts_with("localhost:")) return "127.0.0.1:" + std::string(text.substr(10));
  if (text.starts_with('['))
    return text.find("]:") == std::string_view::npos ? std::string(text) + ":80" : std::string(text);
  return text.find(':') == std::string_view::npos ? std::string(text) + ":80" : std::string(text);
}

Listen listen_of(const Directive& directive) {
  Listen out;
  if (!directive.word(0).starts_with("unix:")) out.address = address_of(directive.word(0));
  for (std::size_t i = 1; i < directive.words.size(); ++i) {
    const auto& word = directive.words[i];
    out.tls = out.tls || word == "ssl" || word == "quic";
    out.is_default = out.is_default || word == "default_server" || word == "default";
    out.proxy_protocol = out.proxy_protocol || word == "proxy_protocol";
  }
  return out;
}

struct ServerBlock {
  const Directive* directive = nullptr;
  NginxScope scope;
  std::vector<Listen> listens;
  std::vector<std::string> hosts;
  std::string to_https;  ///< value of "redirect_to_https" if the server only redirects to https; otherwise empty
  bool is_default = false;
};

/// Adds the names that headgate supports as hosts.
void take_names(const Directive& server, ServerBlock& out, Draft& draft) {
  for (const auto& each : server.block) {
    if (each.name != "server_name") continue;
    for (const auto& name : each.words) {
      if (name.empty() || name == "_" || name == "\"\"") continue;
      if (name.starts_with('~') || name.ends_with('*') || name.find('$') != std::string::npos) {
        draft.say(Matter::lost, each.spot, "server_name " + name,
                  "headgate only supports a name, or \"*.\" and a name, as host; requests for this one go to the "
                  "default server");
      } else if (name.starts_with('.')) {
        out.hosts.push_back(lower(name.substr(1)));
        out.hosts.push_back("*" + lower(name));
      } else {
        out.hosts.push_back(lower(name));
      }
    }
  }
}

/// Returns "redirect_to_https" for a server that only redirects everybody to the same URL with https; otherwise an
/// empty text.
std::string sends_to_https(const Directive& server, const std::vector<std::string>& hosts) {
  const auto* const answer = own(server.block, "return");
  const Directive* only_location = nullptr;
  for (const auto& each : server.block)
    if (each.name == "location") only_location = only_location == nullptr ? &each : &server;
  const auto* found = answer;
  if (found == nullptr && only_location != nullptr && only_location != &server && only_location->word(0) == "/")
    found = own(only_location->block, "return");
  if (found == nullptr) return {};
  auto url = std::string(found->words.size() > 1 ? found->word(1) : found->word(0));
  const std::string fixed = hosts.size() == 1 ? "https://" + hosts.front() : std::string();
  if (!fixed.empty() && url.starts_with(fixed)) url = "https://$host" + url.substr(fixed.size());
  return https_port(url);
}

/// Returns "tls" of a listener with the certificates of all servers that listen there.
std::string tls_of(const std::vector<const ServerBlock*>& servers, DraftEntry& listener) {
  std::vector<std::string> pairs;
  std::set<std::string> seen;
  std::string oldest;
  std::string client_ca;
  for (const auto* server : servers) {
    const auto& certificates = server->scope.all("ssl_certificate");
    const auto& keys = server->scope.all("ssl_certificate_key");
    for (std::size_t i = 0; i < certificates.size() && i < keys.size(); ++i) {
      if (certificates[i]->word(0).find('$') != std::string_view::npos) {
        say(listener, Matter::lost, certificates[i]->spot, certificates[i]->text(),
            "headgate reads certificates from fixed files");
        continue;
      }
      const auto pair =
          object_of({{"certificate", json_text(path_beside(certificates[i]->spot.file, certificates[i]->word(0)))},
                     {"key", json_text(path_beside(keys[i]->spot.file, keys[i]->word(0)))}});
      if (seen.insert(pair).second) pairs.push_back(pair);
    }
    if (const auto* const versions = server->scope.one("ssl_protocols")) {
      const bool old = std::any_of(versions->words.begin(), versions->words.end(),
                                   [](const auto& word) { return word == "TLSv1" || word == "TLSv1.1"; });
      if (old) say(listener, Matter::lost, versions->spot, versions->text(), "headgate speaks TLS 1.2 and 1.3");
      if (versions->words == std::vector<std::string>{"TLSv1.3"}) oldest = "1.3";
    }
    const auto* const verify = server->scope.one("ssl_verify_client");
    const auto* const ca = server->scope.one("ssl_client_certificate");
    if (verify != nullptr && verify->word(0) != "off" && ca != nullptr)
      client_ca = path_beside(ca->spot.file, ca->word(0));
  }
  if (pairs.empty()) return {};
  if (oldest.empty() && client_ca.empty()) return pairs.size() == 1 ? pairs.front() : list_of(pairs);
  std::vector<std::pair<std::string, std::string>> members{{"certificates", list_of(pairs)}};
  if (!oldest.empty()) members.emplace_back("min_version", json_text(oldest));
  if (!client_ca.empty()) members.emplace_back("client_ca", json_text(client_ca));
  return object_of(members);
}

/// Adds a listener for each address, in the order of the file.
void take_listeners(NginxWork& work, std::vector<ServerBlock>& servers) {
  std::vector<std::string> addresses;
  std::map<std::string, std::vector<std::pair<ServerBlock*, const Listen*>>> by_address;
  for (auto& server : servers)
    for (const auto& listen : server.listens) {
      auto& there = by_address[listen.address];
      if (there.empty()) addresses.push_back(listen.address);
      if (there.empty() || there.back().first != &server) there.emplace_back(&server, &listen);
    }
  for (const auto& address : addresses) {
    const auto& there = by_address[address];
    auto chosen = there.front().first;
    bool tls = false;
    bool proxied = false;
    std::string to_https = there.front().first->to_https;
    std::vector<const ServerBlock*> blocks;
    for (const auto& [server, listen] : there) {
      if (listen->is_default) chosen = server;
      tls = tls || listen->tls || server->scope.on("ssl");
      proxied = proxied || listen->proxy_protocol;
      if (server->to_https != to_https) to_https.clear();
      blocks.push_back(server);
    }
    chosen->is_default = true;
    auto& listener = work.draft.listeners.emplace_back();
    listener.spot = chosen->directive->spot;
    if (const auto* const listen = own(chosen->directive->block, "listen")) listener.spot = listen->spot;
    listener.from = "listen " + address;
    listener.set("address", json_text(address));
    if (tls) {
      const auto json = tls_of(blocks, listener);
      if (json.empty())
        close_listener(listener, listener.spot, listener.from);
      else
        listener.set("tls", json);
    }
    if (proxied) listener.set("proxy_protocol", "true");
    if (to_https.empty() || tls) continue;
    listener.set("redirect_to_https", to_https);
    for (const auto& [server, listen] : there) server->is_default = false;
  }
}

/// Redirects hosts to https whose servers do nothing else, if other servers share the listener's address.
void redirect_hosts(NginxWork& work, const std::vector<ServerBlock>& servers) {
  std::map<std::string, const ServerBlock*> hosts;
  for (const auto& server : servers)
    if (!server.to_https.empty())
      for (const auto& host : server.hosts) hosts.emplace(json_text(host), &server);
  std::set<std::string, std::less<>> all;
  for (const auto& listener : work.draft.listeners)
    if (!listener.get("redirect_to_https").empty()) return;  // the listener redirects all hosts
  for (auto& route : work.draft.routes) {
    const std::string host(route.get("host"));
    if (!hosts.contains(host)) continue;
    all.insert(host);
    if (!route.off) route.set("redirect_to_https", hosts.at(host)->to_https);
  }
  for (const auto& [host, server] : hosts) {
    if (all.contains(host)) continue;
    auto& route = work.draft.routes.emplace_back();
    route.spot = server->directive->spot;
    route.from = "server";
    route.set("host", host);
    route.set("path", json_text("/*"));
    const auto port = server->to_https == "true" ? std::string() : ':' + server->to_https;
    route.set("redirect",
              object_of({{"to", "\"https://" + host.substr(1, host.size() - 2) + port + "/*\""}, {"status", "301"}}));
  }
}

void take_real_ip(NginxWork& work, const NginxScope& scope) {
  std::vector<std::string> proxies;
  std::set<std::string> seen;
  for (const auto* each : scope.all("set_real_ip_from")) {
    if (each->word(0) == "unix:") continue;
    const auto text = json_text(each->word(0));
    if (seen.insert(text).second) proxies.push_back(text);
  }
  if (proxies.empty()) return;
  work.draft.identity.set("trusted_proxies", list_of(proxies));
  work.proxies = scope.all("set_real_ip_from").front();
  const auto* const header = scope.one("real_ip_header");
  const auto name = header == nullptr ? std::string("x-real-ip") : lower(header->word(0));  // nginx's default
  if (name == "x-real-ip")
    work.draft.identity.set("address_from", json_text("X-Real-IP"));
  else if (header != nullptr && name != "x-forwarded-for" && name != "proxy_protocol" && name != "forwarded")
    work.address_known = false;
  if (name == "forwarded") work.draft.identity.set("address_from", json_text("Forwarded"));
  if (!work.address_known)
    say(work.draft.identity, Matter::lost, header->spot, header->text(),
        "headgate reads X-Forwarded-For, Forwarded, X-Real-IP or the PROXY protocol");
  if (name == "x-forwarded-for" && !scope.on("real_ip_recursive"))
    say(work.draft.identity, Matter::differs, scope.all("set_real_ip_from").front()->spot,
        "real_ip_header X-Forwarded-For",
        "headgate takes the last address that is not a trusted proxy; nginx without real_ip_recursive takes the last "
        "one");
}

/// Restricts a route to callers on this machine, because a route of headgate applies to all listeners.
void keep_on_this_machine(NginxWork& work, const ServerBlock& server, DraftEntry& route) {
  if (route.get("to").empty()) return;
  if (!route.get("addresses").empty())
    return close_once(
        work, route, "listen", *server.directive, "server",
        "in nginx only this machine reaches it, and it has \"allow\" or \"deny\" as well: write \"addresses\"");
  route.set("addresses", R"({ "allow": ["127.0.0.0/8", "::1/128"] })");
  route.comments.emplace_back(
      "nginx only listens on this machine for it, and headgate's routes apply to all listeners.");
}

}  // namespace

std::string path_beside(const std::string& file, std::string_view name) {
  const std::filesystem::path path(name);
  return path.is_absolute() ? path.string() : (std::filesystem::path(file).parent_path() / path).string();
}

void take_servers(NginxWork& work, const std::vector<const Directive*>& found, const NginxScope& http) {
  std::vector<ServerBlock> servers;
  bool real_ip = !http.all("set_real_ip_from").empty();
  if (real_ip) take_real_ip(work, http);
  for (const auto* each : found) {
    auto& server = servers.emplace_back();
    server.directive = each;
    server.scope = http;
    server.scope.enter(each->block);
    take_names(*each, server, work.draft);
    server.to_https = sends_to_https(*each, server.hosts);
    for (const auto& inside : each->block) {
      if (inside.name != "listen") continue;
      auto listen = listen_of(inside);
      if (listen.address.empty())
        work.draft.say(Matter::lost, inside.spot, inside.text(), "headgate only listens on TCP");
      else
        server.listens.push_back(std::move(listen));
    }
    if (own(each->block, "listen") == nullptr) server.listens.push_back({.address = ":80"});
    if (!real_ip && !server.scope.all("set_real_ip_from").empty()) {
      real_ip = true;
      take_real_ip(work, server.scope);
    }
    say_what_is_left(each->block, work.draft.remarks);
  }
  take_listeners(work, servers);
  // Chooses the server for unknown names. nginx has one such server for each address, but a route of headgate applies
  // to all addresses.
  const ServerBlock* chosen = nullptr;
  for (const auto& server : servers) {
    if (!server.is_default) continue;
    if (chosen == nullptr || (!chosen->to_https.empty() && server.to_https.empty())) chosen = &server;
  }
  for (const auto& server : servers) {
    if (chosen == nullptr || !server.is_default || &server == chosen || !server.to_https.empty()) continue;
    work.draft.say(Matter::differs, server.directive->spot, "server",
                   "it answers unknown hosts on its own address; headgate's routes apply to all addresses, and "
                   "unknown hosts go to the server at " +
                       chosen->directive->spot.file + ":" + std::to_string(chosen->directive->spot.line));
  }
  const bool all_local =
      std::ranges::all_of(servers, [](const auto& each) { return only_this_machine(*each.directive); });
  for (const auto& server : servers) {
    if (!server.to_https.empty() && (&server != chosen || server.hosts.empty())) continue;
    auto hosts = server.hosts;
    if (&server == chosen) hosts = {std::string()};
    if (hosts.empty()) {
      work.draft.say(Matter::lost, server.directive->spot, "server",
                     "it has no name, and another server takes requests for unknown names");
      continue;
    }
    take_error_pages(work, *server.directive, server.scope);
    const auto first = work.draft.routes.size();
    take_locations(work, *server.directive, server.scope, hosts, &server != chosen);
    if (only_this_machine(*server.directive) && !all_local)
      for (auto at = first; at < work.draft.routes.size(); ++at)
        keep_on_this_machine(work, server, work.draft.routes[at]);
  }
  redirect_hosts(work, servers);
}

}  // namespace headgate::translate
