#pragma once
// The place of one request at an upstream. The place becomes free however the request ends.

#include "headgate/shed/concurrency.hpp"

#include <utility>

namespace headgate::shed {

/// A place that is held for one request. One thread. The Concurrency must outlive it.
class Slot {
 public:
  using Steady = Concurrency::Steady;

  Slot() = default;
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  /// Takes over the place of `other`, and frees its own.
  Slot& operator=(Slot&& other) noexcept {
    leave();
    from_ = std::exchange(other.from_, nullptr);
    priority_ = other.priority_;
    since_ = other.since_;
    return *this;
  }
  ~Slot() { leave(); }
  bool operator==(const Slot&) const = default;

  /// Takes a place without checking whether the request is admitted.
  void take(Concurrency& from, Priority priority, Steady now) noexcept;
  bool held() const noexcept { return from_ != nullptr; }
  /// Returns the time at which the place was taken.
  Steady since() const noexcept { return since_; }

  /// Records that an attempt got no answer in time, or no connection, and that another attempt follows: the place stays
  /// taken.
  void missed(Steady now);

  // The functions below free the place if it is held; only the first call of any of them counts.

  /// Records that the head of the answer arrived; the attempt was sent at `sent`.
  void answered(Steady sent, Steady now);
  /// Records that there was no answer in time, or no connection.
  void dropped(Steady now);
  /// Records that the client did not wait for the answer. If the client waited longer than usual, its wait counts as
  /// the latency of an answer. Otherwise the limit would learn only from fast answers.
  void abandoned(Steady now);
  /// Records any other end, which says nothing about the upstream.
  void leave() noexcept {
    if (auto* const from = std::exchange(from_, nullptr)) from->left(priority_);
  }

 private:
  Concurrency* from_ = nullptr;
  Priority priority_ = Priority::normal;
  Steady since_{};
};

}  // namespace headgate::shed
