// Finds the entries of `decide` that make headgate choose the same rules as the service.

#include "translate/ratelimit/work.hpp"
#include "translate/unreadable.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace headgate::translate {
namespace {

constexpr std::size_t kMaxCells = 10'000;
constexpr std::size_t kMaxVisits = 200'000;  // combinations of values that are looked at

bool is_whole_value(std::string_view pattern) noexcept { return !pattern.ends_with('*'); }

/// Returns whether `wide` matches all values that `narrow` matches.
bool covers_values(std::string_view wide, std::string_view narrow) noexcept {
  if (is_whole_value(wide)) return wide == narrow;
  wide.remove_suffix(1);
  if (!is_whole_value(narrow)) narrow.remove_suffix(1);
  return narrow.starts_with(wide);
}

bool covers_values(const std::vector<std::string>& wide, const std::vector<std::string>& narrow) noexcept {
  return std::ranges::equal(wide, narrow, [](const auto& a, const auto& b) { return covers_values(a, b); });
}

/// Returns how headgate ranks a match: by its whole values, and then by the length of its beginnings.
std::pair<std::size_t, std::size_t> rank_of_patterns(const std::vector<std::string>& patterns) noexcept {
  std::pair<std::size_t, std::size_t> out;
  for (const auto& each : patterns) is_whole_value(each) ? ++out.first : out.second += each.size();
  return out;
}

/// Returns the node that the service chooses for values of this pattern, or null: the whole value, then the first
/// beginning in the file, then the key without a value.
const RateNode* chosen_node(const std::vector<RateNode>& nodes, std::string_view key,
                            std::string_view pattern) noexcept {
  const RateNode* beginning = nullptr;
  const RateNode* any = nullptr;
  for (const auto& each : nodes) {
    if (each.key != key || !covers_values(each.pattern(), pattern)) continue;
    if (each.value.empty())
      any = &each;
    else if (!each.is_beginning())
      return &each;
    else if (beginning == nullptr)
      beginning = &each;
  }
  return beginning == nullptr ? any : beginning;
}

/// Lists all cells of one sequence of keys.
class CellList {
 public:
  CellList(const RateDomain& domain, const std::vector<const RateRule*>& rules) : domain_(domain), rules_(rules) {
    descend({&domain.nodes}, &domain.nodes);
  }
  std::vector<RateCell> take() { return std::move(cells_); }

 private:
  /// `all` are the lists of nodes that may match the values so far; `taken` is the one that the service goes on with.
  void descend(const std::vector<const std::vector<RateNode>*>& all, const std::vector<RateNode>* taken) {
    if (++visits_ > kMaxVisits)
      throw Unreadable(domain_.spot, "the values of its descriptors can be combined in too many ways");
    const auto& keys = rules_.front()->path;
    const auto& key = keys[patterns_.size()]->key;
    std::set<std::string> patterns;
    for (const auto* list : all)
      for (const auto& node : *list)
        if (node.key == key) patterns.insert(node.pattern());
    for (const auto& pattern : patterns) {
      const auto* const node = taken == nullptr ? nullptr : chosen_node(*taken, key, pattern);
      patterns_.push_back(pattern);
      if (patterns_.size() == keys.size()) {
        add(node);
      } else {
        std::vector<const std::vector<RateNode>*> below;
        for (const auto* list : all)
          for (const auto& each : *list)
            if (each.key == key && covers_values(each.pattern(), pattern)) below.push_back(&each.nodes);
        descend(below, node == nullptr ? nullptr : &node->nodes);
      }
      patterns_.pop_back();
    }
  }

  void add(const RateNode* node) {
    if (cells_.size() == kMaxCells)
      throw Unreadable(domain_.spot, "this makes more than " + std::to_string(kMaxCells) + " descriptors");
    const auto rule = std::ranges::find_if(rules_, [&](const RateRule* each) { return &each->last() == node; });
    cells_.push_back({patterns_, rule == rules_.end() ? nullptr : *rule});
  }

  const RateDomain& domain_;
  const std::vector<const RateRule*>& rules_;
  std::vector<std::string> patterns_;
  std::vector<RateCell> cells_;
  std::size_t visits_ = 0;
};

/// Returns whether descriptors of the rule pass as if no rule matched them.
bool is_free_rule(const RateRule* rule) noexcept {
  return rule == nullptr || (rule->last().does == RateDoes::is_free && rule->last().replaces.empty());
}

}  // namespace

std::vector<RateCell> cells_of(const RateDomain& domain, const std::vector<const RateRule*>& rules) {
  auto cells = CellList(domain, rules).take();
  // The most specific cell comes last, so that each entry is added when all those that it may replace are known.
  std::ranges::stable_sort(cells, {}, [](const RateCell& each) { return rank_of_patterns(each.patterns); });
  std::vector<RateCell> out;
  for (auto& cell : cells) {
    // As headgate does: the best rank, and the first one of equal ranks.
    const RateCell* found = nullptr;
    for (const auto& each : out)
      if (covers_values(each.patterns, cell.patterns) &&
          (found == nullptr || rank_of_patterns(found->patterns) < rank_of_patterns(each.patterns)))
        found = &each;
    const auto* const applied = found == nullptr ? nullptr : found->rule;
    if (applied == cell.rule || (cell.rule == nullptr && is_free_rule(applied))) continue;
    out.push_back(std::move(cell));
  }
  return out;
}

}  // namespace headgate::translate
