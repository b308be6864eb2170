#include "accept.hpp"

#include "json.hpp"
#include "protect.hpp"
#include "write.hpp"

#include "headgate/config/load.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <list>
#include <set>

namespace headgate::translate {
namespace {

// number of rounds that remove single keys; later rounds remove whole entries
constexpr int kGentleRounds = 8;
constexpr int kRounds = 16;

/// Splits an RFC 6901 pointer. Names in a draft contain no escapes.
std::vector<std::string_view> parts_of(std::string_view pointer) {
  std::vector<std::string_view> out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto part = pointer.substr(0, pointer.find('/'));
    out.push_back(part);
    pointer.remove_prefix(part.size());
  }
  return out;
}

std::size_t number_of(std::string_view text) {
  std::size_t out = std::string::npos;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

/// Returns the entry that has this index in the file. Entries that are off do not count, because the file has them only
/// as comments.
DraftEntry* nth(std::vector<DraftEntry>& all, std::size_t index) {
  for (auto& entry : all)
    if (!entry.off && index-- == 0) return &entry;
  return nullptr;
}

DraftEntry* named(std::vector<DraftEntry>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// Returns whether an entry must have this key.
bool is_vital(std::string_view section, std::string_view key) {
  static const std::set<std::string_view> kVital = {"path", "host",      "methods", "headers",  "query",
                                                    "to",   "respond",   "per",     "redirect", "rewrite",
                                                    "rate", "in_flight", "address", "servers"};
  return kVital.contains(key) || (section == "limits" && key == "algorithm") || section == "decide";
}

bool is_of(const std::vector<DraftEntry>& all, const DraftEntry& entry) {
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return &each == &entry; });
}

void turn_off(Draft& draft, DraftEntry& entry, const std::string& message) {
  if (entry.off) return;
  entry.off = true;
  say(entry, Matter::lost, entry.spot, entry.from.empty() ? "this" : entry.from, message);
  if (is_of(draft.routes, entry) && !lets_all_in(entry))
    close_behind(draft, entry, "a route before this one", "a route that keeps callers out was not accepted");
}

/// Closes all routes for which `relies` holds: what protected them was removed.
template <class Relies>
void close_all(Draft& draft, std::string_view key, const std::string& message, const Relies& relies) {
  for (auto& route : draft.routes)
    if (!route.off && route.closed.empty() && relies(route))
      close_route(route, std::string(key), route.spot, route.from, message);
}

void drop_field(Draft& draft, DraftEntry& entry, std::string_view key, const std::string& message) {
  const std::string json(entry.get(key));
  if (json.empty()) return;
  // Without its certificate the listener would be opened without TLS, so it is turned off.
  if (key == "tls" && is_of(draft.listeners, entry)) return turn_off(draft, entry, message);
  const auto what = json_text(key) + ": " + json;
  entry.set(key, {});
  // Without this condition the route would match more requests.
  const bool condition = key == "path_matches" || key == "client_ip";
  if ((is_protection(key) || condition) && is_of(draft.routes, entry))
    return close_route(entry, std::string(key), entry.spot, what, message);
  say(entry, Matter::lost, entry.spot, what, message);
  if (&entry == &draft.all_routes && is_protection(key)) close_all(draft, key, message, lets_all_in);
  // Without any configured key, headgate would accept every text as a key.
  if (&entry == &draft.identity && (key == "api_key" || key == "jwt"))
    close_all(draft, key, message,
              [&](const DraftEntry& route) { return route.get("require").find(key) != std::string_view::npos; });
  // Without these keys, all clients of a proxy would share the proxy's address.
  if (&entry == &draft.identity && (key == "trusted_proxies" || key == "address_from"))
    close_all(draft, key, message, [](const DraftEntry& route) {
      return !route.get("addresses").empty() || !route.get("client_ip").empty();
    });
}

/// A mistake, and what to remove for it.
struct Fault {
  DraftEntry* entry = nullptr;  ///< null if nothing can be removed
  std::string key;              ///< empty if the whole entry is wrong
  std::size_t use = std::string::npos;
  std::string message;
};

DraftEntry* whole_section(Draft& draft, std::string_view key) {
  if (key == "pid_file") return &draft.process;
  if (key == "identity") return &draft.identity;
  if (key == "timeouts") return &draft.timeouts;
  if (key == "bounds") return &draft.bounds;
  if (key == "redis") return &draft.redis;
  if (key == "all_routes") return &draft.all_routes;
  return nullptr;
}

Fault fault_of(Draft& draft, const config::Diagnostic& mistake, bool gently) {
  const auto at = parts_of(mistake.pointer);
  const auto part = [&](std::size_t index) { return index < at.size() ? at[index] : std::string_view(); };
  Fault out;
  out.message = "headgate check: " + mistake.message;
  if (auto* const section = whole_section(draft, part(0))) {
    out.entry = section->fields.empty() ? nullptr : section;
    out.key = gently && !section->get(part(1)).empty() ? std::string(part(1)) : "*";
    return out;
  }
  std::size_t field = 2;
  if (part(0) == "listen") {
    const bool alone = number_of(part(1)) == std::string::npos;
    if (alone) field = 1;
    out.entry = nth(draft.listeners, alone ? 0 : number_of(part(1)));
  } else if (part(0) == "routes") {
    out.entry = nth(draft.routes, number_of(part(1)));
    if (part(2) == "limits") out.use = number_of(part(3));
  } else if (part(0) == "decide") {
    out.entry = nth(draft.decide, number_of(part(1)));
    if (part(2) == "limits") out.key = part(2);
  } else if (part(0) == "limits") {
    out.entry = named(draft.limits, part(1));
  } else if (part(0) == "upstreams") {
    out.entry = named(draft.upstreams, part(1));
  }
  if (out.entry != nullptr && gently && !is_vital(part(0), part(field)) && !out.entry->get(part(field)).empty())
    out.key = part(field);
  return out;
}

/// Lets an entry of "decide" without its limits reject its descriptors.
void reject_all(DraftEntry& entry, const std::string& message) {
  entry.set("limits", "[]");
  entry.set("reject", "true");
  say(entry, Matter::closed, entry.spot, entry.from, message);
}

void take_out(Draft& draft, const Fault& fault) {
  auto& entry = *fault.entry;
  if (fault.use < entry.uses.size()) {
    say(entry, Matter::lost, entry.spot, "limit " + entry.uses[fault.use], fault.message);
    entry.uses.erase(entry.uses.begin() + static_cast<std::ptrdiff_t>(fault.use));
  } else if (is_of(draft.decide, entry) && !fault.key.empty()) {
    reject_all(entry, fault.message);
  } else if (fault.key == "*") {
    for (const auto& each : std::vector(entry.fields)) drop_field(draft, entry, each.key, fault.message);
  } else if (!fault.key.empty()) {
    drop_field(draft, entry, fault.key, fault.message);
  } else {
    turn_off(draft, entry, fault.message);
  }
}

/// Adds a listener and a route if the file has none, because a file needs both.
void complete(Draft& draft) {
  const auto none = [](const auto& all) {
    return std::all_of(all.begin(), all.end(), [](const auto& each) { return each.off; });
  };
  if (none(draft.listeners)) {
    // If there are listeners, but all are off, the new one listens only on this machine. The others must not be opened
    // without their settings.
    const bool any = !draft.listeners.empty();
    draft.listeners.emplace_back().set("address", json_text(any ? "127.0.0.1:8080" : ":8080"));
    draft.listeners.back().comments = {any ? "The listeners above cannot be opened yet; this one is for tests."
                                           : "No address to listen on was translated."};
  }
  if (none(draft.routes)) {
    auto& route = draft.routes.emplace_back();
    route.comments = {"No route was translated: this answers everything until there is one."};
    route.set("path", json_text("/*"));
    route.set("respond", R"({ "status": 404, "body": "no route yet\n" })");
  }
}

/// Gives an environment variable a value for the lifetime of this object, unless the variable has one already.
class StandIn {
 public:
  explicit StandIn(std::string name) : name_(std::move(name)), absent_(std::getenv(name_.c_str()) == nullptr) {
    constexpr std::size_t kEnoughForAnySecret = 64;
    if (absent_) ::setenv(name_.c_str(), std::string(kEnoughForAnySecret, 'x').c_str(), 0);
  }
  ~StandIn() {
    if (absent_) ::unsetenv(name_.c_str());
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

 private:
  std::string name_;
  bool absent_;
};

/// Returns whether the mistake must be corrected here. Prices come from a file that the user makes afterwards.
bool is_wrong(const config::Diagnostic& mistake) {
  return mistake.severity == config::Severity::error && mistake.pointer != "/prices";
}

/// Loads the file as its user will, with secrets in environment variables.
config::Loaded load_with(const std::string& text, const std::set<std::string>& variables) {
  std::list<StandIn> secrets;
  for (const auto& each : variables) secrets.emplace_back(each);
  return config::load(text);
}

}  // namespace

std::string accepted(Draft& draft, const std::string& heading) {
  for (int round = 0;; ++round) {
    complete(draft);
    answer_for_closed(draft);
    auto text = write(draft, heading);
    const auto loaded = load_with(text, draft.variables);
    if (std::ranges::none_of(loaded.diagnostics, is_wrong) || round == kRounds) return text;
    // All mistakes are collected before anything is removed, because their pointers have indices of entries in this
    // text.
    std::vector<Fault> faults;
    for (const auto& mistake : loaded.diagnostics) {
      if (!is_wrong(mistake)) continue;
      if (auto fault = fault_of(draft, mistake, round < kGentleRounds); fault.entry != nullptr)
        faults.push_back(std::move(fault));
    }
    std::for_each(faults.rbegin(), faults.rend(), [&](const Fault& fault) { take_out(draft, fault); });
    if (!faults.empty()) continue;
    draft.routes.clear();
    draft.limits.clear();
    draft.upstreams.clear();
    draft.listeners.clear();
  }
}

}  // namespace headgate::translate
