#include "draft.hpp"

#include "json.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace headgate::translate {
namespace {

constexpr std::size_t kLongestName = 60;  // a name has at most 64 characters, and a number may be appended to this one

bool of_a_name(char c) { return is_alnum(c, "-_."); }

}  // namespace

std::string_view DraftEntry::get(std::string_view key) const noexcept {
  for (const auto& field : fields)
    if (field.key == key) return field.json;
  return {};
}

void DraftEntry::set(std::string_view key, std::string json) {
  const auto found = std::find_if(fields.begin(), fields.end(), [key](const Field& field) { return field.key == key; });
  if (json.empty()) {
    if (found != fields.end()) fields.erase(found);
  } else if (found != fields.end()) {
    found->json = std::move(json);
  } else {
    fields.push_back({std::string(key), std::move(json)});
  }
}

void DraftEntry::use(const std::string& limit) {
  const auto use = json_text(limit);
  if (std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
}

void say(DraftEntry& entry, Matter matter, Spot spot, std::string what, std::string why) {
  entry.remarks.push_back({matter, std::move(spot), std::move(what), std::move(why)});
}

std::string free_name(std::string_view wanted, TakenNames& taken) {
  std::string name;
  for (const char c : wanted.substr(0, kLongestName)) {
    if (of_a_name(c))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  if (name.empty()) name = "unnamed";
  std::string out = name;
  while (!taken.emplace(out, 1).second) out = name + '-' + std::to_string(++taken[name]);
  return out;
}

void put_route(Draft& draft, DraftEntry route) {
  constexpr std::size_t kMaxRoutes = 10'000;
  if (draft.routes.size() >= kMaxRoutes)
    throw Unreadable(route.spot, "this makes more than " + std::to_string(kMaxRoutes) + " routes");
  draft.routes.push_back(std::move(route));
}

void put_limit(Draft& draft, DraftEntry limit) {
  constexpr std::size_t kMaxLimits = 2'000;
  if (draft.limits.size() >= kMaxLimits)
    throw Unreadable(limit.spot, "this makes more than " + std::to_string(kMaxLimits) + " limits");
  draft.limits.push_back(std::move(limit));
}

void put_decision(Draft& draft, DraftEntry entry) {
  constexpr std::size_t kMaxDecisions = 10'000;
  if (draft.decide.size() >= kMaxDecisions)
    throw Unreadable(entry.spot, "this makes more than " + std::to_string(kMaxDecisions) + " entries of \"decide\"");
  draft.decide.push_back(std::move(entry));
}

void put_pid_file(Draft& draft, const std::string& file, const Spot& spot, const std::string& directive) {
  const std::filesystem::path path(file);
  if (!path.is_absolute())
    return draft.say(Matter::aside, spot, directive, "write an absolute path in \"pid_file\" if a program reads it");
  draft.process.spot = spot;
  draft.process.set("pid_file", json_text((path.parent_path() / "headgate.pid").string()));
  say(draft.process, Matter::differs, spot, directive,
      "both programs may run at the same time, so headgate writes another file");
}

DraftEntry* upstream_in(Draft& draft, std::string_view to) noexcept {
  if (to.size() < 2) return nullptr;
  const auto name = to.substr(1, to.size() - 2);
  const auto found =
      std::find_if(draft.upstreams.begin(), draft.upstreams.end(), [&](const auto& each) { return each.name == name; });
  return found == draft.upstreams.end() ? nullptr : &*found;
}

std::string requests_of(const DraftEntry& route) {
  std::string out;
  for (const auto* key : {"host", "path", "methods", "headers", "query", "client_ip", "path_matches"})
    out.append(route.get(key)).append(1, '\0');
  return out;
}

void drop_repeated_routes(Draft& draft) {
  std::set<std::string> seen;
  for (auto& route : draft.routes) {
    if (route.off || seen.insert(requests_of(route)).second) continue;
    route.off = true;
    say(route, Matter::lost, route.spot, route.from, "an earlier route takes exactly the same requests");
  }
}

}  // namespace headgate::translate
