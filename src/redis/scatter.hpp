#pragma once
// Asks whose keys lie in several slots of a cluster: which belong together, which go first, and what is owed back where
// a later one refuses. No I/O.

#include "headgate/limit/limit.hpp"

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headgate::redis {

/// What was taken and must be given back, with copies of all it needs: it outlives the request.
struct Debt {
  std::uint16_t slot = 0;
  std::vector<limit::Rule> rules;
  std::vector<std::string> subjects;
  std::vector<std::int64_t> costs;
};

/// The asks of one decision, ordered so that those of one slot stand together. First come slots that can refuse, the
/// one with the smallest burst first, as the likeliest to: what is refused at once need not be given back.
class Scatter {
 public:
  struct Group {
    std::uint16_t slot = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    std::uint64_t burst = 0;  ///< the smallest that may refuse
  };

  /// `slots` are those of `asks`, in their order; at most limit::kMaxRulesPerRequest.
  Scatter(std::span<const limit::Ask> asks, std::span<const std::uint16_t> slots);

  std::span<const Group> groups() const noexcept { return groups_; }
  std::span<const limit::Ask> asks(const Group& group) const noexcept;
  std::span<limit::Verdict> verdicts(const Group& group) noexcept;

  /// Copies the group's verdicts to where they belong.
  void tell(const Group& group, std::span<limit::Verdict> verdicts) const;
  /// What the group took when it was asked. Its verdicts say from now on what will be left once that is given back.
  Debt take_back(const Group& group);

 private:
  template <class T>
  using AtMost = boost::container::static_vector<T, limit::kMaxRulesPerRequest>;

  AtMost<Group> groups_;
  AtMost<limit::Ask> asks_;
  AtMost<std::size_t> places_;  ///< of each, among the asks as they came
  AtMost<limit::Verdict> verdicts_;
};

}  // namespace headgate::redis
