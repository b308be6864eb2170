#include "config/advice/advice.hpp"

#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <utility>

namespace headgate::config {
namespace {

/// Splits an entry of "accept_advice" into its first word, a name or a code, and the place after it. Both are as
/// written.
std::pair<std::string_view, std::string_view> parts_of(std::string_view entry) {
  const auto blank = entry.find(' ');
  if (blank == std::string_view::npos) return {entry, {}};
  return {entry.substr(0, blank), entry.substr(blank + 1)};
}

const AdviceRow* row_called(std::string_view word) {
  const auto rows = advice_rows();
  const auto at = std::ranges::find_if(rows, [&](const auto& row) { return row.code == word || row.name == word; });
  return at == rows.end() ? nullptr : &*at;
}

/// Returns the limits that a list of uses names, each with the place of its name.
std::vector<PlannedUse> uses_of(const Build& build, const std::vector<gateway::LimitUse>& uses, const Node* section) {
  std::vector<PlannedUse> out;
  const auto nodes = children(find(section, "limits"), Kind::list);
  for (std::size_t i = 0; i < uses.size() && i < nodes.size(); ++i) {
    const int number = limit_index(build, uses[i].limit);
    if (number >= 0) out.push_back({static_cast<std::size_t>(number), &uses[i], nodes[i]});
  }
  return out;
}

/// Returns whether this limit by itself keeps each caller to a share, on every route.
bool is_of_each_caller(const Config& config, const limit::Limit& limit) {
  const auto told = [&](const limit::Per& per) {
    return per.source->needs == gateway::Needs::api_key && !config.identity.api_key.any_known();
  };
  const auto& instead = limit.if_absent.instead;
  const bool invented = std::ranges::any_of(limit.per, told) ||
                        std::ranges::any_of(instead, [&](const auto& key) { return std::ranges::any_of(key, told); });
  return limit.mode == limit::Mode::enforce && !limit.glitches && !invented && gateway::is_own_key(limit) &&
         counts_everybody(limit);
}

}  // namespace

const Node* tier_section(const Node& limit, std::size_t tier) {
  const Node* const tiers = find(&limit, "tiers");
  if (tiers == nullptr) return &limit;
  return tier < tiers->children.size() ? tiers->children[tier] : nullptr;
}

bool counts_everybody(const limit::Limit& limit) {
  if (limit.if_absent.last == limit::IfAbsent::Last::skip) return false;
  return std::ranges::none_of(limit.tiers, [](const auto& tier) { return tier.rules.empty(); });
}

Adviser::Adviser(Build& build) : build_(build) {
  apart_.reserve(config().limits.size());
  for (const auto& limit : config().limits) apart_.push_back(is_of_each_caller(config(), limit));
  plan_routes();
  read_accepted();
}

void Adviser::plan_routes() {
  const auto& options = config().gateway;
  const auto common = uses_of(build_, options.all_routes.limits, find(&build_.root, "all_routes"));
  begins_.reserve(options.routes.size() + 1);
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    const auto& route = options.routes[i];
    begins_.push_back(uses_.size());
    std::ranges::copy_if(common, std::back_inserter(uses_), [&](const PlannedUse& use) {
      return std::ranges::find(route.skip_limits, use.how->limit) == route.skip_limits.end();
    });
    const auto own = uses_of(build_, route.limits, build_.route_nodes[i]);
    uses_.insert(uses_.end(), own.begin(), own.end());
  }
  begins_.push_back(uses_.size());
}

std::span<const PlannedUse> Adviser::plan(std::size_t route) const noexcept {
  return std::span(uses_).subspan(begins_[route], begins_[route + 1] - begins_[route]);
}

bool Adviser::keeps_callers_apart(std::size_t route, std::size_t but) const {
  return std::ranges::any_of(plan(route), [&](const PlannedUse& use) { return use.limit != but && apart_[use.limit]; });
}

void Adviser::read_accepted() {
  for (const Node* each : texts(find(&build_.root, "accept_advice"))) {
    const auto [word, place] = parts_of(each->text);
    const auto* const row = row_called(word);
    if (row == nullptr) continue;
    // An entry that repeats an earlier one stays unused.
    accepted_.emplace(std::string(row->code) + ' ' + std::string(place), entries_.size());
    entries_.push_back({.node = each});
  }
}

bool Adviser::accepts(const Node& node) {
  if (entries_.empty()) return false;
  const auto place = pointer(node);
  const std::string code = std::string(row_->code) + ' ';
  for (std::size_t end = 0; end != std::string::npos;) {
    if (const auto at = accepted_.find(code + place.substr(0, end)); at != accepted_.end()) {
      entries_[at->second].used = true;
      return true;
    }
    if (end >= place.size()) return false;
    end = std::min(place.find('/', end + 1), place.size());
  }
  return false;
}

void Adviser::say(const Node& value, std::string message, std::string help) {
  if (accepts(value)) return;
  build_.report.advice(row_->code, value.span, pointer(value), std::move(message), std::move(help)).name = row_->name;
}

void Adviser::say_at_key(const Node& member, std::string message, std::string help) {
  if (accepts(member)) return;
  const bool keyed = member.key_span.end > member.key_span.begin;
  build_.report
      .advice(row_->code, keyed ? member.key_span : member.span, pointer(member), std::move(message), std::move(help))
      .name = row_->name;
}

std::vector<const Node*> Adviser::unused_entries() const {
  std::vector<const Node*> out;
  for (const auto& each : entries_)
    if (!each.used) out.push_back(each.node);
  return out;
}

void Adviser::run() {
  const auto rows = advice_rows();
  for (std::size_t i = 1; i <= rows.size(); ++i) {
    row_ = &rows[i % rows.size()];  // the first row looks for unused entries, so it runs after the others
    row_->give(*this);
  }
}

void check_accepted_advice(Build& build) {
  for (const Node* each : texts(find(&build.root, "accept_advice"))) {
    const auto word = std::string(parts_of(each->text).first);
    if (row_called(word) != nullptr || check_advice_entry(each->text)) continue;
    std::vector<std::string> names;
    for (const auto& row : advice_rows()) names.emplace_back(row.name);
    const auto near = each->replaced ? std::string() : nearest(word, names);
    build.report.warning(code::kUnresolved, *each, "no advice is called " + in_quotes(each->written),
                         near.empty() ? "there are: " + joined(names, ", ") : "did you mean " + in_quotes(near) + "?");
  }
}

// Gives advice only if there are no errors, because an error may have the same cause as a piece of advice.
void advise(Build& build) {
  if (!build.report.has_errors()) Adviser(build).run();
}

void advise_accepted_in_vain(Adviser& given) {
  for (const Node* each : given.unused_entries())
    given.say(*each, in_quotes(each->written) + " accepts nothing: there is no such advice on this configuration",
              "remove it");
}

}  // namespace headgate::config
