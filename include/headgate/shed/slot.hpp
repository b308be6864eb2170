#pragma once
// The place of one request at an upstream. Whatever ends the request, its place becomes free.

#include "headgate/shed/concurrency.hpp"

#include <utility>

namespace headgate::shed {

/// One thread. The Concurrency outlives it.
class Slot {
 public:
  using Steady = Concurrency::Steady;

  Slot() = default;
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  /// Takes the place of `other`, and leaves its own.
  Slot& operator=(Slot&& other) noexcept {
    leave();
    from_ = std::exchange(other.from_, nullptr);
    priority_ = other.priority_;
    since_ = other.since_;
    return *this;
  }
  ~Slot() { leave(); }
  bool operator==(const Slot&) const = default;

  /// Takes a place, without asking whether the request is admitted.
  void take(Concurrency& from, Priority priority, Steady now) noexcept;
  bool held() const noexcept { return from_ != nullptr; }
  /// When it was taken.
  Steady since() const noexcept { return since_; }

  /// An attempt got no answer in time, or no connection, and another one follows: the place stays taken.
  void missed(Steady now);

  // Each frees the place, if it is held; the first one counts.

  /// The head of the answer is there; it took since `sent`.
  void answered(Steady sent, Steady now);
  /// No answer in time, or no connection.
  void dropped(Steady now);
  /// The client did not wait for the answer. If it has waited longer than usual, that counts as an answer that took as
  /// long: else the limit would learn only of the fast ones.
  void abandoned(Steady now);
  /// Any other end. It says nothing about the upstream.
  void leave() noexcept {
    if (auto* const from = std::exchange(from_, nullptr)) from->left(priority_);
  }

 private:
  Concurrency* from_ = nullptr;
  Priority priority_ = Priority::normal;
  Steady since_{};
};

}  // namespace headgate::shed
