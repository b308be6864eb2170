// Translates paths for servers: proxy_pass with a path, and simple rewrites.

#include "conditions.hpp"
#include "matches.hpp"
#include "translate/draft/json.hpp"

#include <utility>
#include <vector>

namespace headgate::translate {

void set_rewrite(const Directive& proxy_pass, const NginxMatch& match, const std::string& target, DraftEntry& route) {
  if (target.empty() || !match.path_matches.empty()) return;
  if (!match.prefix) return route.set("rewrite", object_of({{"path", json_text(literal_path(target))}}));
  auto own = match.path.substr(0, match.path.size() - 2);  // path without "/*"
  const auto question = target.find('?');
  if (question != std::string::npos) {
    say(route, Matter::lost, proxy_pass.spot, proxy_pass.text(), "headgate does not add a query");
    return;
  }
  auto other = target;
  while (other.ends_with('/')) other.pop_back();
  if (own == other) return;
  std::vector<std::pair<std::string, std::string>> members;
  if (!own.empty()) members.emplace_back("strip_prefix", json_text(own));
  if (!other.empty()) members.emplace_back("add_prefix", json_text(literal_path(other)));
  if (!members.empty()) route.set("rewrite", object_of(members));
}

bool simple_rewrite(const Directive& rewrite, const NginxMatch& match, DraftEntry& route) {
  auto from = std::string(rewrite.word(0));
  auto to = std::string(rewrite.word(1));
  if (!match.prefix || !from.starts_with('^') || leads_away(rewrite) || !to.ends_with("$1")) return false;
  to.erase(to.size() - 2);
  from.erase(0, 1);
  for (const auto* tail : {"(.*)$", "(.*)"}) {
    if (!from.ends_with(tail)) continue;
    from.erase(from.size() - std::string_view(tail).size());
    break;
  }
  const auto own = match.path.substr(0, match.path.size() - 1);
  if (from != own && from + "/" != own) return false;
  if (to.find('$') != std::string::npos || !to.starts_with('/') || !to.ends_with('/')) return false;
  set_rewrite(rewrite, match, to, route);
  return true;
}

}  // namespace headgate::translate
