#pragma once
// Splits the checks of one decision whose keys are in several slots of a cluster: groups them by slot, orders the
// groups, and determines the permits to give back if a later group rejects. No I/O.

#include "headgate/limit/limit.hpp"

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headgate::redis {

/// Permits that were taken and must be given back. Has copies of all data, because it outlives the request.
struct Debt {
  std::uint16_t slot = 0;
  std::vector<limit::Rule> rules;
  std::vector<std::string> keys;
  std::vector<std::string> tokens;  ///< tokens of permits in flight; otherwise empty
  std::vector<std::int64_t> costs;
};

/// The checks of one decision, grouped by slot. Groups that can reject come first. Among them, the group with the
/// smallest burst is the first, because it is the most likely to reject, and an early rejection leaves less to give
/// back.
class Scatter {
 public:
  struct Group {
    std::uint16_t slot = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    std::uint64_t burst = 0;  ///< the smallest burst of the group's checks that can reject
  };

  /// `slots` has the slot of each element of `checks`, in the same order; at most limit::kMaxRulesPerRequest.
  Scatter(std::span<const limit::Check> checks, std::span<const std::uint16_t> slots);

  std::span<const Group> groups() const noexcept { return groups_; }
  std::span<const limit::Check> checks(const Group& group) const noexcept;
  std::span<limit::Decision> decisions(const Group& group) noexcept;

  /// Copies the decisions of the group to their places.
  void tell(const Group& group, std::span<limit::Decision> decisions) const;
  /// The reason why the decision ends before all groups were checked. After a rejection, limits that count rejected
  /// requests keep their permits.
  enum class Why : bool { rejected, failed };
  /// Returns the permits that the group took. Afterwards, the decisions of the group show the permits that remain after
  /// the give-back.
  Debt take_back(const Group& group, Why why);

 private:
  template <class T>
  using AtMost = boost::container::static_vector<T, limit::kMaxRulesPerRequest>;

  AtMost<Group> groups_;
  AtMost<limit::Check> checks_;
  AtMost<std::size_t> places_;  ///< for each check in the order of the groups, its position in the original order
  AtMost<limit::Decision> decisions_;
};

}  // namespace headgate::redis
