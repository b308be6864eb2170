#include "headgate/simulate/compare.hpp"

#include "headgate/services/written_key.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace headgate::simulate {
namespace {

/// A key with its counts in both runs, over all tiers of its limit.
struct Both {
  std::uint64_t rejected_before = 0;
  std::uint64_t rejected_after = 0;
};
using Keys = boost::unordered_flat_map<std::uint64_t, Both>;

struct Side {
  const RunTally* tally = nullptr;
  const gateway::CompiledLimit* limit = nullptr;  ///< null if the policy has no such limit

  template <class Tell>
  void each(Tell tell) const {
    if (limit == nullptr) return;
    for (const auto& tier : limit->tiers) tally->keys(tier).each(tell);
  }
  std::uint64_t requests(std::uint64_t digest) const {
    std::uint64_t out = 0;
    if (limit == nullptr) return out;
    for (const auto& tier : limit->tiers)
      if (const auto* const count = tally->keys(tier).find(digest)) out += count->requests;
    return out;
  }
  std::string text(std::uint64_t digest) const {
    if (limit == nullptr) return {};
    for (const auto& tier : limit->tiers)
      if (const auto text = tally->keys(tier).text(digest); !text.empty())
        return services::written_key(limit->limit, text);
    return {};
  }
};

/// The keys whose number of rejections changed most.
class Largest {
 public:
  void add(std::uint64_t digest, std::uint64_t by) {
    all_.emplace_back(by, digest);
    if (all_.size() >= 2 * LimitChange::kMaxKeys) cut();
  }
  std::vector<KeyChange> told(const Keys& keys, const Side& before, const Side& after) {
    std::vector<KeyChange> out;
    for (const auto& [by, digest] : all_) {
      const auto& both = keys.at(digest);
      auto text = after.text(digest);
      if (text.empty()) text = before.text(digest);
      out.push_back({std::move(text), std::max(before.requests(digest), after.requests(digest)), both.rejected_before,
                     both.rejected_after});
    }
    const auto change = [](const KeyChange& one) {
      return one.rejected_after > one.rejected_before ? one.rejected_after - one.rejected_before
                                                      : one.rejected_before - one.rejected_after;
    };
    std::ranges::sort(out, [&](const auto& a, const auto& b) {
      return change(a) != change(b) ? change(a) > change(b) : a.key < b.key;
    });
    out.resize(std::min(out.size(), LimitChange::kMaxKeys));
    return out;
  }

 private:
  void cut() {
    std::ranges::sort(all_, std::greater());
    all_.resize(LimitChange::kMaxKeys);
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all_;
};

void compare_keys(const Side& before, const Side& after, LimitChange& out) {
  Keys keys;
  before.each([&](std::uint64_t digest, const KeyCount& count) {
    if (count.rejected > 0) keys[digest].rejected_before += count.rejected;
  });
  after.each([&](std::uint64_t digest, const KeyCount& count) {
    if (count.rejected > 0) keys[digest].rejected_after += count.rejected;
  });
  Largest hit;
  Largest freed;
  for (const auto& [digest, both] : keys) {
    if (both.rejected_after > both.rejected_before) {
      ++out.keys_hit;
      hit.add(digest, both.rejected_after - both.rejected_before);
    } else if (both.rejected_after < both.rejected_before) {
      ++out.keys_freed;
      freed.add(digest, both.rejected_before - both.rejected_after);
    }
  }
  out.hit = hit.told(keys, before, after);
  out.freed = freed.told(keys, before, after);
}

const LimitFigures* figures_of(const Figures& figures, const std::string& name) {
  const auto found = std::ranges::find(figures.limits, name, &LimitFigures::name);
  return found == figures.limits.end() ? nullptr : &*found;
}

LimitChange change_of(const std::string& name, const Trial& before, const Trial& after) {
  LimitChange out;
  out.name = name;
  const auto* const old_figures = figures_of(before.figures, name);
  const auto* const new_figures = figures_of(after.figures, name);
  if (old_figures == nullptr) out.what = LimitChange::What::added;
  if (new_figures == nullptr) out.what = LimitChange::What::removed;
  if (old_figures != nullptr) {
    out.requests_before = old_figures->requests();
    out.rejected_before = old_figures->rejected();
  }
  if (new_figures != nullptr) {
    out.requests_after = new_figures->requests();
    out.rejected_after = new_figures->rejected();
  }
  out.other_key = old_figures != nullptr && new_figures != nullptr && old_figures->per != new_figures->per;
  compare_keys({before.tally.get(), before.tally->limit(name)}, {after.tally.get(), after.tally->limit(name)}, out);
  return out;
}

}  // namespace

Comparison compare(const Trial& before, const Trial& after) {
  Comparison out;
  out.refused_before = before.figures.refused;
  out.refused_after = after.figures.refused;
  const auto kept = std::min(before.tally->kept(), after.tally->kept());
  out.each_known = kept >= std::max(before.figures.requests, after.figures.requests);
  for (std::uint64_t i = 0; i < kept; ++i) {
    const bool then = before.tally->refused(i);
    if (then == after.tally->refused(i)) continue;
    ++(then ? out.freed : out.hit);
  }
  for (const auto& limit : before.figures.limits) out.limits.push_back(change_of(limit.name, before, after));
  for (const auto& limit : after.figures.limits)
    if (figures_of(before.figures, limit.name) == nullptr) out.limits.push_back(change_of(limit.name, before, after));
  return out;
}

}  // namespace headgate::simulate
