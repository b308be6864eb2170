#pragma once
// Counts retries and copies of requests.

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/forwarding.hpp"

#include <array>
#include <vector>

namespace headgate::gateway {

/// The outcome of a copy of a request.
enum class Mirrored : std::uint8_t {
  answered,
  failed,     ///< no connection, or no whole answer in time
  dropped,    ///< not sent, because too many copies are under way
  too_large,  ///< not sent, because the body is too large or not held
  count
};

class ForwardingCounters {
 public:
  static constexpr Step kStep = Step::serve;
  explicit ForwardingCounters(const Counting& counting);

  /// Counts a retry at an upstream (Route::upstream), or a retry that the budget did not allow.
  void retried(std::size_t upstream, RetryReason reason) const noexcept {
    retries_[upstream].by_reason[static_cast<std::size_t>(reason)]->add();
  }
  void retry_not_paid(std::size_t upstream) const noexcept { retries_[upstream].not_paid->add(); }
  /// Counts the outcome of a copy for an upstream (Forwarding::mirror_upstream).
  void mirrored(std::size_t upstream, Mirrored result) const noexcept {
    mirrors_[upstream][static_cast<std::size_t>(result)]->add();
  }

 private:
  struct Retries {
    std::array<observe::Counter*, kCountOf<RetryReason>> by_reason{};
    observe::Counter* not_paid = nullptr;
  };
  std::vector<Retries> retries_;  ///< by Route::upstream; null where there are no retries
  /// By Forwarding::mirror_upstream; null where no requests are copied.
  std::vector<std::array<observe::Counter*, kCountOf<Mirrored>>> mirrors_;
};

}  // namespace headgate::gateway
