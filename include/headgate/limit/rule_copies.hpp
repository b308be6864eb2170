#pragma once
// Rules that outlive their configuration: calls to Redis may follow after the request, or the whole site, is gone.

#include "headgate/limit/limit.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace headgate::limit {

/// One copy of each rule, shared by all users. One for each worker; not thread-safe.
class RuleCopies {
 public:
  /// A copy that counts like `rule`. The first call makes it, later calls find it.
  std::shared_ptr<const Rule> of(const Rule& rule);

  std::size_t size() const noexcept { return copies_.size(); }

 private:
  std::vector<std::shared_ptr<const Rule>> copies_;  ///< most recently used first
};

/// Returns whether two rules count alike: the same counter under the same numbers.
bool same_counting(const Rule& a, const Rule& b) noexcept;

}  // namespace headgate::limit
