#include "headgate/upstream/retry_budget.hpp"

#include <utility>

namespace headgate::upstream {
namespace {

std::int64_t second_of(Clock::Steady at) noexcept {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

}  // namespace

RetryWindow::Second* RetryWindow::second(std::int64_t number) noexcept {
  if (number < 0) return nullptr;
  auto& found = seconds_[static_cast<std::size_t>(number) % kSeconds];
  if (found.number > number) return nullptr;
  if (found.number < number) found = {.number = number};
  return &found;
}

void RetryWindow::earn(Steady at, std::uint64_t first_attempts) noexcept {
  if (auto* const found = second(second_of(at))) found->first_attempts += first_attempts;
}

// Takes a retry from the budget. Retries are counted in the current second, which has not ended, and in the ten seconds
// before it: for at least ten seconds. First attempts are counted in the current second and in the nine before it: for
// at most ten. So the bound holds in every period of ten seconds.
bool RetryWindow::pay(Steady now, std::uint32_t share) noexcept {
  const auto current = second_of(now);
  std::uint64_t first_attempts = 0;
  std::uint64_t retries = 0;
  for (const auto& each : seconds_) {
    if (each.number > current - kDepth.count()) first_attempts += each.first_attempts;
    if (each.number >= current - kDepth.count()) retries += each.retries;
  }
  const auto granted = kFloor * static_cast<std::uint64_t>(kDepth.count()) * kWhole + first_attempts * share;
  if ((retries + 1) * kWhole > granted) return false;
  auto* const found = second(current);
  if (found == nullptr) return false;
  ++found->retries;
  return true;
}

void RetryBudget::earn(Clock::Steady at, std::uint64_t first_attempts) noexcept {
  const std::scoped_lock held(lock_);
  window_.earn(at, first_attempts);
}

bool RetryBudget::pay(Clock::Steady now, std::uint32_t share) noexcept {
  const std::scoped_lock held(lock_);
  return window_.pay(now, share);
}

void RetryShare::first_attempt(Clock::Steady now) noexcept {
  if (counted_ > 0 && second_of(now) != second_of(since_)) tell();
  if (counted_++ == 0) since_ = now;
  if (counted_ >= kStep) tell();
}

bool RetryShare::pay(Clock::Steady now, std::uint32_t share) noexcept {
  tell();
  return budget_->pay(now, share);
}

void RetryShare::tell() noexcept {
  if (const auto count = std::exchange(counted_, 0)) budget_->earn(since_, count);
}

std::shared_ptr<RetryBudget> RetryBudgets::of(const std::string& upstream) {
  const std::scoped_lock held(lock_);
  auto& found = budgets_[upstream];
  if (!found) found = std::make_shared<RetryBudget>();
  return found;
}

}  // namespace headgate::upstream
