#pragma once
// Rules that outlive their configuration: for what is still to be said to Redis when the request, or the whole site,
// is gone.

#include "headgate/limit/limit.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace headgate::limit {

/// One copy of each rule, shared by all that need it. One a worker; not thread-safe.
class RuleCopies {
 public:
  /// A copy that counts like `rule`; made at the first time, then found.
  std::shared_ptr<const Rule> of(const Rule& rule);

  std::size_t size() const noexcept { return copies_.size(); }

 private:
  std::vector<std::shared_ptr<const Rule>> copies_;  ///< the latest used first
};

/// Whether two rules count alike: the same counter under the same numbers.
bool same_counting(const Rule& a, const Rule& b) noexcept;

}  // namespace headgate::limit
