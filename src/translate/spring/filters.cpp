#include "filters.hpp"

#include "translate/draft/json.hpp"
#include "translate/reading/numbers.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/edit_options.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::translate {
namespace {

// Marks of a route that finish_filters() takes away.
constexpr const char* kStrip = "strip_segments";
constexpr const char* kPrefixed = "prefix_path";

std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    out.emplace_back(trimmed(part));
  }
  return out;
}

/// The words of a name as "ipKeyResolver" or "remote_addr", in lower case.
std::vector<std::string> words_of(std::string_view name) {
  const auto lowers = [&](std::size_t at) { return at < name.size() && name[at] >= 'a' && name[at] <= 'z'; };
  const auto uppers = [&](std::size_t at) { return at < name.size() && name[at] >= 'A' && name[at] <= 'Z'; };
  std::vector<std::string> out{""};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = uppers(i) && i > 0 && (lowers(i - 1) || lowers(i + 1));
    if ((begins || !(uppers(i) || lowers(i))) && !out.back().empty()) out.emplace_back();
    if (uppers(i) || lowers(i)) out.back() += lower(name[i]);
  }
  return out;
}

/// What counts, by the name of the bean that finds it out: its code is not here.
std::string per_for(const SpringStep& filter, const std::string& resolver, DraftEntry& limit) {
  const auto words = words_of(resolver);
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const auto guess = [&](const char* per) {
    say(limit, Matter::differs, filter.spot, "key-resolver: " + resolver,
        std::string("headgate does not know the code of this bean; by its name it counts by \"") + per + '"');
    return per;
  };
  if (has("ip") || has("addr") || has("address") || has("host")) return guess("client_ip");
  const auto api = std::ranges::find(words, "api");
  const bool api_key = api != words.end() && api + 1 != words.end() && *(api + 1) == "key";
  if (api_key || has("apikey")) return guess("api_key");
  say(limit, Matter::lost, filter.spot, resolver.empty() ? "key-resolver: the principal" : "key-resolver: " + resolver,
      "headgate does not know the code of this bean; it counts by the address: write what it counts by in \"per\", "
      "such as \"jwt.sub\"");
  return "client_ip";
}

void limit_requests(SpringWork& work, const SpringStep& filter, DraftEntry& route) {
  const auto argument = [&](const char* name) {
    const auto found = filter.arguments.find(std::string("redis-rate-limiter.") + name);
    return found == filter.arguments.end() ? std::string() : found->second;
  };
  const auto rate = whole_number(argument("replenishRate"));
  if (!rate || *rate == 0) {
    say(route, Matter::lost, filter.spot, filter.text, "it has no replenishRate that was understood");
    return;
  }
  const auto burst = whole_number(argument("burstCapacity")).value_or(1);
  const auto cost = whole_number(argument("requestedTokens")).value_or(1);
  const auto found = filter.arguments.find("key-resolver");
  const auto resolver = found == filter.arguments.end() ? std::string() : found->second;
  const auto id = std::to_string(*rate) + ' ' + std::to_string(burst) + ' ' + resolver + ' ' + route.name;
  auto known = work.limits.find(id);
  if (known == work.limits.end()) {
    DraftEntry limit;
    limit.name = free_name(route.name.empty() ? "rate-limiter" : route.name, work.draft.limit_names);
    limit.spot = filter.spot;
    limit.from = filter.text;
    limit.set("rate", rate_of(*rate, "second"));
    limit.set("burst", std::to_string(std::max<std::uint64_t>(burst, 1)));
    const auto per = per_for(filter, resolver, limit);
    limit.set("per", json_text(per));
    if (per == "api_key") limit.set("if_absent", R"({ "reject": 403 })");
    limit.comments.push_back("replenishRate " + std::to_string(*rate) + ", burstCapacity " + std::to_string(burst));
    known = work.limits.emplace(id, limit.name).first;
    put_limit(work.draft, std::move(limit));
  }
  if (cost == 1)
    route.use(known->second);
  else
    route.uses.push_back(object_of({{"use", json_text(known->second)}, {"cost", std::to_string(cost)}}));
}

/// What the filters of a route change in the fields of requests, or in those of answers. headgate removes first, then
/// sets, then adds, so a filter takes back what it undoes of those before it.
struct FieldChanges {
  using Members = std::vector<std::pair<std::string, std::string>>;

  const char* key;  ///< of the route
  gateway::Towards towards;
  Members set{};                      ///< by name, values as JSON
  Members add{};                      ///< the same
  std::vector<std::string> remove{};  ///< names

  std::string json() const {
    Members out;
    if (!set.empty()) out.emplace_back("set", object_of(set));
    if (!add.empty()) out.emplace_back("add", object_of(add));
    if (!remove.empty()) {
      std::vector<std::string> names;
      for (const auto& each : remove) names.push_back(json_text(each));
      out.emplace_back("remove", list_of(names));
    }
    return object_of(out);
  }
};

/// The filters of one route.
struct SpringRoute {
  DraftEntry& route;
  FieldChanges request{.key = "request_headers", .towards = gateway::Towards::server};
  FieldChanges response{.key = "response_headers", .towards = gateway::Towards::client};
};

/// Whether the filter has so many values, and its field may be changed; else the route says that it is lost, which
/// leaves the others.
bool changes_field(const SpringStep& filter, std::size_t values, const FieldChanges& changes, DraftEntry& route) {
  const auto lost = [&](std::string_view why) {
    say(route, Matter::lost, filter.spot, filter.text, std::string(why));
    return false;
  };
  if (filter.values.empty() || !http::is_token(filter.values[0])) return lost("it names no field");
  if (filter.values.size() < values) return lost("it has no value");
  const auto why = gateway::why_fixed(filter.values[0], changes.towards);
  return why.empty() || lost(why);
}

void take_back(FieldChanges::Members& members, std::string_view name) {
  std::erase_if(members, [&](const auto& each) { return http::same_variable(each.first, name); });
}

void set_field(const SpringStep& filter, FieldChanges& changes, DraftEntry& route) {
  if (!changes_field(filter, 2, changes, route)) return;
  const auto& name = filter.values[0];
  take_back(changes.set, name);
  take_back(changes.add, name);
  changes.set.emplace_back(name, json_text(filter.values[1]));
  route.set(changes.key, changes.json());
}

void add_field(const SpringStep& filter, FieldChanges& changes, DraftEntry& route) {
  if (!changes_field(filter, 2, changes, route)) return;
  const auto& name = filter.values[0];
  if (std::ranges::any_of(changes.add, [&](const auto& each) { return http::same_variable(each.first, name); }))
    return say(route, Matter::lost, filter.spot, filter.text, "\"add\" has one value of a field");
  changes.add.emplace_back(name, json_text(filter.values[1]));
  route.set(changes.key, changes.json());
}

void remove_field(const SpringStep& filter, FieldChanges& changes, DraftEntry& route) {
  constexpr std::size_t kMax = 64;
  if (!changes_field(filter, 1, changes, route)) return;
  const auto& name = filter.values[0];
  take_back(changes.set, name);
  take_back(changes.add, name);
  const auto is_same = [&](const std::string& each) { return same_word(each, name); };
  if (std::ranges::none_of(changes.remove, is_same)) {
    if (changes.remove.size() == kMax)
      return say(route, Matter::lost, filter.spot, filter.text, "\"remove\" has 64 fields at most");
    changes.remove.push_back(name);
  }
  route.set(changes.key, changes.json());
}

/// "RewritePath=/red/?(?<segment>.*), /$\{segment}": the usual form of it.
bool rewrite_path(const SpringStep& filter, DraftEntry& route) {
  if (filter.values.size() != 2) return false;
  auto from = filter.values[0];
  auto to = filter.values[1];
  const auto group = from.find("(?<");
  if (group == std::string::npos || !from.ends_with(".*)")) return false;
  const auto dollar = to.find('$');
  if (dollar == std::string::npos || !to.ends_with('}')) return false;
  from.erase(group);
  to.erase(dollar);
  if (from.ends_with("/?")) from.erase(from.size() - 2);
  while (from.ends_with('/')) from.pop_back();
  while (to.ends_with('/')) to.pop_back();
  if (from.find_first_of("()[]^$*|?+\\") != std::string::npos) return false;
  std::vector<std::pair<std::string, std::string>> members;
  if (!from.empty()) members.emplace_back("strip_prefix", json_text(from));
  if (!to.empty()) members.emplace_back("add_prefix", json_text(to));
  if (!members.empty()) route.set("rewrite", object_of(members));
  return true;
}

void retry_of(SpringWork& work, const SpringStep& filter, DraftEntry& route) {
  const auto found = filter.arguments.find("retries");
  const auto tries = whole_number(found != filter.arguments.end() ? found->second
                                  : filter.values.empty()         ? "3"
                                                                  : filter.values.front());
  auto* const upstream = upstream_in(work.draft, route.get("to"));
  if (!tries || upstream == nullptr) return;
  upstream->set("retry", object_of({{"attempts", std::to_string(std::min<std::uint64_t>(*tries + 1, 10))},
                                    {"on", R"(["connect_error", "closed", 502, 503, 504])"}}));
}

void take_filter(SpringWork& work, const SpringStep& filter, SpringRoute& of) {
  auto& route = of.route;
  const auto& name = filter.name;
  const auto value = filter.values.empty() ? std::string() : filter.values.front();
  if (name == "RequestRateLimiter") return limit_requests(work, filter, route);
  if (name == "StripPrefix") return route.set(kStrip, value.empty() ? "1" : value);
  if (name == "PrefixPath") return route.set(kPrefixed, json_text(value));
  if (name == "AddRequestHeader") return add_field(filter, of.request, route);
  if (name == "SetRequestHeader") return set_field(filter, of.request, route);
  if (name == "RemoveRequestHeader") return remove_field(filter, of.request, route);
  if (name == "AddResponseHeader") return add_field(filter, of.response, route);
  if (name == "SetResponseHeader") return set_field(filter, of.response, route);
  if (name == "RemoveResponseHeader") return remove_field(filter, of.response, route);
  if (name == "PreserveHostHeader") return route.set("host_header", {});
  if (name == "SetPath") return route.set("rewrite", object_of({{"path", json_text(value)}}));
  if (name == "Retry") return retry_of(work, filter, route);
  if (name == "RewritePath" && rewrite_path(filter, route)) return;
  if (name == "SetRequestHostHeader" && !value.empty()) return route.set("host_header", json_text(value));
  if (name == "RedirectTo" && filter.values.size() > 1) {
    route.set("to", {});
    return route.set("redirect", object_of({{"status", filter.values[0]}, {"to", json_text(filter.values[1])}}));
  }
  if (name == "RequestSize") {
    auto size = value;
    if (size.ends_with("MB") || size.ends_with("KB")) size.insert(size.size() - 1, "i");
    return route.set("max_body", json_text(size));
  }
  if (name == "TokenRelay" || name == "SaveSession" || name == "DedupeResponseHeader" || name == "SecureHeaders")
    return say(route, Matter::lost, filter.spot, filter.text,
               "headgate has nothing like it; see \"request_headers\" and \"response_headers\"");
  if (name == "CircuitBreaker")
    return say(route, Matter::lost, filter.spot, filter.text,
               "write \"circuit\" in the upstream; there is no fallback");
  say(route, Matter::lost, filter.spot, filter.text, "headgate import does not know this filter");
}

}  // namespace

std::optional<std::uint64_t> spring_time(std::string_view text) {
  std::string plain = lower(text);
  if (plain.starts_with("pt")) plain.erase(0, 2);
  std::uint64_t number = 0;
  const auto [end, wrong] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (wrong != std::errc() || number > 1'000'000'000) return std::nullopt;
  const auto unit = plain.substr(static_cast<std::size_t>(end - plain.data()));
  if (unit.empty() || unit == "ms") return number > 0 ? std::optional(number) : std::nullopt;
  if (unit == "s") return number * 1000;
  if (unit == "m") return number * 60'000;
  return std::nullopt;
}

std::vector<SpringStep> steps_of(const TreeNode& list) {
  std::vector<SpringStep> out;
  for (const auto* node : list.each()) {
    SpringStep step;
    step.spot = node->spot;
    if (node->is_text()) {
      const auto equals = node->text.find('=');
      step.name = trimmed(std::string_view(node->text).substr(0, equals));
      if (equals != std::string::npos) step.values = values_of(std::string_view(node->text).substr(equals + 1));
      step.text = node->text;
    } else {
      step.name = node->get("name");
      step.text = step.name;
      for (const auto& [key, value] : (*node)["args"].members) {
        if (value.is_text()) {
          step.arguments[key] = value.text;
          for (auto& each : values_of(value.text)) step.values.push_back(std::move(each));
        } else {
          for (auto& each : value.texts()) step.values.push_back(std::move(each));
          for (const auto& [inner, text] : value.members)
            if (text.is_text()) step.arguments[std::string(key).append(1, '.').append(inner)] = text.text;
        }
      }
      // Kebab and camel case name the same.
      for (const auto* name : {"replenish-rate", "burst-capacity", "requested-tokens"}) {
        const auto found = step.arguments.find(std::string("redis-rate-limiter.") + name);
        if (found == step.arguments.end()) continue;
        std::string camel;
        for (const char* c = name; *c != '\0'; ++c)
          camel += *c == '-' && c[1] != '\0' ? static_cast<char>(*++c - ('a' - 'A')) : *c;
        step.arguments["redis-rate-limiter." + camel] = found->second;
      }
      if (const auto found = step.arguments.find("keyResolver"); found != step.arguments.end())
        step.arguments["key-resolver"] = found->second;
    }
    out.push_back(std::move(step));
  }
  return out;
}

void take_filters(SpringWork& work, const std::vector<SpringStep>& filters, DraftEntry& route) {
  SpringRoute of{.route = route};
  for (const auto& filter : filters) take_filter(work, filter, of);
}

void finish_filters(const std::string& path, DraftEntry& route) {
  const auto strip = whole_number(route.get(kStrip));
  const bool strips = !route.get(kStrip).empty();
  const std::string prefix(route.get(kPrefixed));
  route.set(kStrip, {});
  route.set(kPrefixed, {});
  std::vector<std::pair<std::string, std::string>> members;
  if (strips && strip && *strip > 0) {
    std::size_t end = 0;
    for (std::uint64_t i = 0; i < *strip && end != std::string::npos; ++i) end = path.find('/', end + 1);
    const auto begin = path.substr(0, end);
    if (end == std::string::npos || begin.find_first_of("{*") != std::string::npos)
      say(route, Matter::lost, route.spot, "StripPrefix=" + std::to_string(*strip),
          "the path of this route begins with fewer fixed segments");
    else
      members.emplace_back("strip_prefix", json_text(begin));
  }
  if (!prefix.empty()) members.emplace_back("add_prefix", prefix);
  if (!members.empty()) route.set("rewrite", object_of(members));
}

}  // namespace headgate::translate
