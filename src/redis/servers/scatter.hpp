#pragma once
// Checks whose keys lie in several slots of a cluster: groups them, orders the groups, and finds what to give back if a
// later group rejects. No I/O.

#include "headgate/limit/limit.hpp"

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headgate::redis {

/// What was taken and must be given back. It has copies of all it needs, because it outlives the request.
struct Debt {
  std::uint16_t slot = 0;
  std::vector<limit::Rule> rules;
  std::vector<std::string> keys;
  std::vector<std::string> tokens;  ///< of permits in flight; else empty
  std::vector<std::int64_t> costs;
};

/// The checks of one decision, grouped by slot. Groups that can reject come first; of those, the one with the smallest
/// burst, because it is the most likely to reject. An early rejection leaves less to give back.
class Scatter {
 public:
  struct Group {
    std::uint16_t slot = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    std::uint64_t burst = 0;  ///< the smallest burst of a check that can reject
  };

  /// `slots` has the slot of each of `checks`, in their order; at most limit::kMaxRulesPerRequest.
  Scatter(std::span<const limit::Check> checks, std::span<const std::uint16_t> slots);

  std::span<const Group> groups() const noexcept { return groups_; }
  std::span<const limit::Check> checks(const Group& group) const noexcept;
  std::span<limit::Decision> decisions(const Group& group) noexcept;

  /// Copies the group's decisions to their places.
  void tell(const Group& group, std::span<limit::Decision> decisions) const;
  /// Why the call ends without all of its groups. A limit that counts rejected requests keeps what a rejected one took.
  enum class Why : bool { rejected, failed };
  /// What the group took. From now on its decisions show what is left after it is given back.
  Debt take_back(const Group& group, Why why);

 private:
  template <class T>
  using AtMost = boost::container::static_vector<T, limit::kMaxRulesPerRequest>;

  AtMost<Group> groups_;
  AtMost<limit::Check> checks_;
  AtMost<std::size_t> places_;  ///< of each check, in the original order
  AtMost<limit::Decision> decisions_;
};

}  // namespace headgate::redis
