#include "headgate/graphql/size.hpp"

#include "document.hpp"

#include <algorithm>
#include <unordered_map>

namespace headgate::graphql {
namespace {

/// Adds the fragments to the sizes of the definitions of one document, each once.
class FragmentSizes {
 public:
  explicit FragmentSizes(const std::vector<Definition>& all) : all_(all), states_(all.size()) {}

  /// Returns false if a fragment has two definitions.
  bool index() {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].is_fragment && !by_name_.emplace(all_[i].name, i).second) return false;
    return true;
  }

  /// Returns the size of a definition with all that it uses; nothing if a fragment is missing or uses itself. Visits
  /// the fragments in the order of a depth-first search, with a stack of its own, because they can be chained thousands
  /// deep.
  std::optional<Size> of(std::size_t wanted) {
    std::vector<std::size_t> under_way{wanted};
    while (!under_way.empty()) {
      const auto at = under_way.back();
      auto& state = states_[at];
      state.begun = true;
      if (state.next == all_[at].spreads.size()) {
        finish(at);
        under_way.pop_back();
        continue;
      }
      const auto found = by_name_.find(all_[at].spreads[state.next].fragment);
      if (found == by_name_.end()) return std::nullopt;
      const auto& other = states_[found->second];
      if (other.size)
        ++state.next;
      else if (other.begun)
        return std::nullopt;
      else
        under_way.push_back(found->second);
    }
    return states_[wanted].size;
  }

 private:
  struct State {
    std::size_t next = 0;  // the first spread that was not visited
    bool begun = false;
    std::optional<Size> size;
  };

  void finish(std::size_t at) {
    auto size = all_[at].own;
    for (const auto& spread : all_[at].spreads) {
      const auto& used = *states_[by_name_.at(spread.fragment)].size;
      const auto depth = std::max(size.depth, std::min(spread.depth - 1 + used.depth, kMaxCount));
      add(size, used);
      size.depth = depth;
    }
    states_[at].size = size;
  }

  const std::vector<Definition>& all_;
  std::vector<State> states_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace

void raise(Size& to, const Size& other) noexcept {
  to = {std::max(to.fields, other.fields), std::max(to.depth, other.depth), std::max(to.aliases, other.aliases)};
}

void add(Size& sum, const Size& more) noexcept {
  sum.fields = std::min(sum.fields + more.fields, kMaxCount);
  sum.depth = std::min(sum.depth + more.depth, kMaxCount);
  sum.aliases = std::min(sum.aliases + more.aliases, kMaxCount);
}

std::optional<Size> size_of(std::string_view document, std::string_view operation) {
  const auto all = read_document(document);
  if (!all) return std::nullopt;
  FragmentSizes sizes(*all);
  if (!sizes.index()) return std::nullopt;
  std::optional<Size> out;
  for (std::size_t i = 0; i < all->size(); ++i) {
    if ((*all)[i].is_fragment || (!operation.empty() && (*all)[i].name != operation)) continue;
    const auto size = sizes.of(i);
    if (!size) return std::nullopt;
    if (!out) out.emplace();
    raise(*out, *size);
  }
  return out;
}

}  // namespace headgate::graphql
