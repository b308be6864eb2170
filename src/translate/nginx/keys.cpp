// Translates the key of a zone: its variables, and the map and geo blocks that define them.

#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <set>

namespace headgate::translate {
namespace {

bool of_a_variable(char c) { return is_alnum(c, "_"); }

/// Returns the names of the variables in a text.
std::vector<std::string> variables_in(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') continue;
    std::string name;
    std::size_t at = i + 1;
    if (at < text.size() && text[at] == '{') ++at;
    for (; at < text.size() && of_a_variable(text[at]); ++at) name += text[at];
    if (!name.empty()) out.push_back(std::move(name));
    i = at - 1;
  }
  return out;
}

/// Converts "x_api_key" to X-Api-Key.
std::string field_of(std::string_view name) {
  std::string out;
  bool first = true;
  for (const char c : name) {
    const bool letter = c >= 'a' && c <= 'z';
    out += c == '_' ? '-' : (first && letter ? static_cast<char>(c - ('a' - 'A')) : c);
    first = c == '_';
  }
  return out;
}

const std::set<std::string_view> kAddressFields = {"http_x_forwarded_for", "http_x_real_ip", "http_cf_connecting_ip",
                                                   "http_true_client_ip", "http_x_client_ip"};

/// A variable as a value of "per", and whether it may be absent.
struct Part {
  std::string per;
  bool may_be_absent = false;
  std::optional<Remark> remark;
};

Part part_for(const std::string& variable, const Spot& spot) {
  const auto what = "$" + variable;
  const auto said = [&](Matter matter, std::string why) { return Remark{matter, spot, what, std::move(why)}; };
  if (variable == "binary_remote_addr" || variable == "remote_addr") return {"client_ip", false, {}};
  if (variable == "proxy_protocol_addr" || variable == "realip_remote_addr")
    return {
        "client_ip", false,
        said(Matter::lost, "it counts by the client's address, which \"identity\": { \"trusted_proxies\" } must tell")};
  if (kAddressFields.contains(variable))
    return {"client_ip", false,
            said(Matter::lost,
                 "anybody can write that field: it counts by the client's address, once \"identity\": { "
                 "\"trusted_proxies\" } names the proxies that send it")};
  if (variable == "host" || variable == "http_host") return {"host", false, {}};
  if (variable == "server_name")
    return {"host", false,
            said(Matter::differs, "it counts by the host that was asked for; nginx by the first name of the server")};
  if (variable == "request_method") return {"method", false, {}};
  if (variable == "uri" || variable == "request_uri" || variable == "document_uri")
    return {"route", false,
            said(Matter::lost, "headgate counts all paths of a route together, and nginx each by itself")};
  if (variable == "remote_user") return {"basic.user", true, {}};
  if (variable == "ssl_client_s_dn") return {"certificate:subject", true, {}};
  if (variable == "ssl_client_fingerprint") return {"certificate:sha256", true, {}};
  if (variable.starts_with("http_")) return {"header:" + field_of(variable.substr(5)), true, {}};
  if (variable.starts_with("cookie_")) return {"cookie:" + variable.substr(7), true, {}};
  if (variable.starts_with("jwt_claim_"))
    return {"", false,
            said(Matter::lost, "write \"identity\": { \"jwt\" }, and \"per\": \"jwt." + variable.substr(10) + "\"")};
  return {"", false, said(Matter::lost, "headgate cannot count by this variable")};
}

/// A key that a "map" defines: no key for some requests, and another key for all others.
struct Mapped {
  std::string key;
  std::vector<std::string> exempt;  ///< blocks of addresses whose key is empty
  bool understood = false;
};

bool is_network(std::string_view text) {
  return !text.empty() && (text.find('.') != std::string_view::npos || text.find(':') != std::string_view::npos) &&
         text.find_first_not_of("0123456789abcdefABCDEF.:/") == std::string_view::npos;
}

/// Translates the usual pair of blocks: "geo" assigns a value to each address, and "map" turns the value into a key.
Mapped key_from(const NginxWork& work, const Directive& map) {
  Mapped out;
  std::map<std::string, std::string> keys;  // keys by the value of the map's source
  const auto source = variables_in(map.word(0));
  if (map.name != "map" || source.size() != 1) return out;
  const auto geo = work.maps.find(source.front());
  if (geo == work.maps.end() || geo->second->name != "geo") return out;
  if (geo->second->words.size() > 1 && geo->second->word(0) != "$remote_addr") return out;
  constexpr std::size_t kMaxEntries = 10'000;
  if (map.block.size() > kMaxEntries || geo->second->block.size() > kMaxEntries) return out;
  std::string otherwise;
  for (const auto& each : map.block) {
    if (each.words.size() != 1) return out;
    (each.name == "default" ? otherwise : keys[each.name]) = each.words.front();
  }
  const auto key_for = [&](const std::string& value) {
    const auto found = keys.find(value);
    return found == keys.end() ? otherwise : found->second;
  };
  std::string standard;
  for (const auto& each : geo->second->block)
    if (each.name == "default" && each.words.size() == 1) standard = each.words.front();
  out.key = key_for(standard);
  if (out.key.empty()) return out;
  for (const auto& each : geo->second->block) {
    if (each.name == "default") continue;
    if (each.words.size() != 1 || !is_network(each.name)) return out;
    const auto key = key_for(each.words.front());
    if (key.empty())
      out.exempt.push_back(each.name);
    else if (key != out.key)
      return out;
  }
  out.understood = true;
  return out;
}

}  // namespace

NginxKey nginx_key(const NginxWork& work, const std::string& key, const Spot& spot) {
  NginxKey out;
  auto variables = variables_in(key);
  if (variables.size() == 1) {
    if (const auto made = work.maps.find(variables.front()); made != work.maps.end()) {
      const auto mapped = key_from(work, *made->second);
      if (!mapped.understood) {
        out.remarks.push_back(
            {Matter::lost, made->second->spot, made->second->text(),
             "headgate does not count by variables of your own; a limit can have \"exempt\" and \"tiers\""});
        return out;
      }
      variables = variables_in(mapped.key);
      if (!mapped.exempt.empty()) out.exempt = object_of({{"client_ip", texts_of(mapped.exempt)}});
    }
  }
  std::vector<std::string> parts;
  bool may_be_absent = false;
  for (const auto& variable : variables) {
    auto part = part_for(variable, spot);
    if (part.remark) out.remarks.push_back(*part.remark);
    if (part.per.empty()) return out;
    may_be_absent = may_be_absent || part.may_be_absent;
    if (std::find(parts.begin(), parts.end(), part.per) == parts.end()) parts.push_back(part.per);
  }
  if (parts.empty()) parts.emplace_back("total");
  out.per = text_or_list(parts);
  if (may_be_absent) out.if_absent = json_text("skip");  // nginx does not count requests with an empty key
  return out;
}

}  // namespace headgate::translate
