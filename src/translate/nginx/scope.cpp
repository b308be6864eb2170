#include "known.hpp"
#include "translate/draft/addresses.hpp"
#include "translate/nginx/work.hpp"
#include "translate/unreadable.hpp"

#include <charconv>
#include <set>

namespace headgate::translate {
namespace {

constexpr std::size_t kMaxOfOne = 100;  // maximum for one name, because each route copies all directives of the name

/// Returns whether nested levels inherit the directive: blocks, and directives of one level only, are not inherited.
bool is_inherited(const Directive& directive) {
  static const std::set<std::string_view> kNot = {
      "listen", "server_name",    "location",        "server",  "upstream", "if",           "map", "geo",
      "types",  "limit_req_zone", "limit_conn_zone", "rewrite", "return",   "limit_except", "set"};
  if (kNot.contains(directive.name)) return false;
  return is_translated(directive.name) || fate_of(directive).matter == Matter::closed;
}

}  // namespace

void NginxScope::enter(const std::vector<Directive>& level) {
  std::map<std::string, std::vector<const Directive*>, std::less<>> own;
  for (const auto& each : level) {
    if (!is_inherited(each)) continue;
    // "allow" and "deny" are one list. A level that has one of them inherits neither.
    auto& all = own[each.name == "deny" ? "allow" : each.name];
    all.push_back(&each);
    const auto most = each.name == "allow" || each.name == "deny" ? kMaxAddressRules : kMaxOfOne;
    if (all.size() > most && each.name != "set_real_ip_from")
      throw Unreadable(each.spot, "a level has more than " + std::to_string(most) + " of these");
  }
  for (auto& [name, all] : own)
    directives_[name] = std::make_shared<const std::vector<const Directive*>>(std::move(all));
}

const std::vector<const Directive*>& NginxScope::all(std::string_view name) const {
  static const std::vector<const Directive*> kNone;
  const auto found = directives_.find(name);
  return found == directives_.end() ? kNone : *found->second;
}

const Directive* NginxScope::one(std::string_view name) const {
  const auto& found = all(name);
  return found.empty() ? nullptr : found.back();
}

bool NginxScope::on(std::string_view name) const {
  const auto* const found = one(name);
  return found != nullptr && found->word(0) == "on";
}

std::vector<const Directive*> NginxScope::untranslated() const {
  std::vector<const Directive*> out;
  for (const auto& [name, all] : directives_)
    if (!is_translated(name) && all->back()->word(0) != "off") out.push_back(all->back());
  return out;
}

std::optional<std::uint64_t> nginx_time(std::string_view text) {
  constexpr std::uint64_t kMax = 1000ULL * 86400 * 366;
  std::uint64_t total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    std::uint64_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || number > kMax) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    std::uint64_t unit = 1000;
    if (text.starts_with("ms")) {
      unit = 1;
      text.remove_prefix(2);
    } else if (!text.empty()) {
      switch (text.front()) {
        case 's':
          unit = 1000;
          break;
        case 'm':
          unit = 60'000;
          break;
        case 'h':
          unit = 3'600'000;
          break;
        case 'd':
          unit = 86'400'000;
          break;
        default:
          return std::nullopt;
      }
      text.remove_prefix(1);
      while (text.starts_with(' ')) text.remove_prefix(1);
    }
    total += number * unit;
    if (total > kMax) return std::nullopt;
  }
  return total;
}

std::optional<std::uint64_t> nginx_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || number > (1ULL << 33U)) return std::nullopt;
  const auto unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return number;
  if (unit == "k" || unit == "K") return number << 10U;
  if (unit == "m" || unit == "M") return number << 20U;
  if ((unit == "g" || unit == "G") && number < (1U << 20U)) return number << 30U;
  return std::nullopt;
}

void say_what_is_left(const std::vector<Directive>& level, std::vector<Remark>& remarks) {
  for (const auto& each : level) {
    if (is_translated(each.name)) continue;
    auto fate = fate_of(each);
    if (fate.matter == Matter::closed) continue;  // this remark is added where the directive closes a route
    remarks.push_back({fate.matter, each.spot, each.text(), std::move(fate.why)});
  }
}

}  // namespace headgate::translate
