#pragma once
// The counters of what happens to a request on its way to servers: it is sent again, or copied.

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/forwarding.hpp"

#include <array>
#include <vector>

namespace headgate::gateway {

/// What became of a copy of a request.
enum class Mirrored : std::uint8_t {
  answered,
  failed,     ///< not connected, or no whole answer in time
  dropped,    ///< not sent: too many are under way
  too_large,  ///< not sent: its body is too large, or not held
  count
};

class ForwardingCounters {
 public:
  static constexpr Step kStep = Step::serve;
  explicit ForwardingCounters(const Counting& counting);

  /// A request to an upstream (Route::upstream) is sent again, or is not because nothing is left in the budget.
  void retried(std::size_t upstream, RetryReason reason) const noexcept {
    retries_[upstream].by_reason[static_cast<std::size_t>(reason)]->add();
  }
  void retry_not_paid(std::size_t upstream) const noexcept { retries_[upstream].not_paid->add(); }
  /// What became of a copy for an upstream (Forwarding::mirror_upstream).
  void mirrored(std::size_t upstream, Mirrored result) const noexcept {
    mirrors_[upstream][static_cast<std::size_t>(result)]->add();
  }

 private:
  struct Retries {
    std::array<observe::Counter*, kCountOf<RetryReason>> by_reason{};
    observe::Counter* not_paid = nullptr;
  };
  std::vector<Retries> retries_;  ///< by Route::upstream; null where nothing is retried
  /// By Forwarding::mirror_upstream; null where nothing is mirrored.
  std::vector<std::array<observe::Counter*, kCountOf<Mirrored>>> mirrors_;
};

}  // namespace headgate::gateway
