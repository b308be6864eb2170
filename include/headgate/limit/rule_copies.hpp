#pragma once
// Copies of rules that outlive their configuration, because calls to Redis may follow after the request has ended, or
// even after the configuration was replaced. Used by redis and Leases.

#include "headgate/limit/limit.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace headgate::limit {

/// The copies: one for each rule, shared by all its users. One object per worker; not thread-safe.
class RuleCopies {
 public:
  /// Returns a copy that counts like `rule`. The first call makes the copy, and later calls find it.
  std::shared_ptr<const Rule> of(const Rule& rule);

  std::size_t size() const noexcept { return copies_.size(); }

 private:
  std::vector<std::shared_ptr<const Rule>> copies_;  ///< most recently used first
};

/// Returns whether two rules count alike: they use the same counter with the same numbers.
bool same_counting(const Rule& a, const Rule& b) noexcept;

}  // namespace headgate::limit
