#include "learned_use.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace headgate::gateway {
namespace {

/// Part of the bytes of a token that is left after the twentieth was taken off.
constexpr double kLessATwentieth = 0.95;
/// A call is comparable if it has at least this part of the text.
constexpr std::int64_t kComparable = 4;

std::uint32_t saturated(std::int64_t number) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<std::uint32_t>::max()));
}

/// Returns the elements of a ring that were written.
template <class Ring>
auto written(const Ring& ring, std::uint32_t seen) noexcept {
  return std::span(ring).first(std::min<std::size_t>(seen, ring.size()));
}

std::int64_t divided_up(std::int64_t number, std::int64_t by) noexcept { return (number + by - 1) / by; }

}  // namespace

void LearnedUse::learn_input(const Hash& key, std::int64_t text, std::int64_t tokens) {
  if (text <= 0 || tokens <= 0 || text > std::numeric_limits<std::uint32_t>::max()) return;
  auto& calls = of(key);
  calls.inputs[calls.inputs_seen++ % kCalls] = {saturated(text), saturated(tokens)};
}

void LearnedUse::learn_output(const Hash& key, std::int64_t tokens) {
  auto& calls = of(key);
  calls.outputs[calls.outputs_seen++ % kCalls] = saturated(tokens);
}

std::int64_t LearnedUse::tokens_of(const Hash& key, std::int64_t text, std::int64_t bytes) noexcept {
  const auto* const calls = text > 0 ? find(key) : nullptr;
  double tokens_of_byte = 0;
  if (calls != nullptr)
    for (const auto& input : written(calls->inputs, calls->inputs_seen))
      if (kComparable * input.text >= text)
        tokens_of_byte = std::max(tokens_of_byte, static_cast<double>(input.tokens) / input.text);
  if (tokens_of_byte == 0) return divided_up(text, bytes);
  const auto estimate = std::ceil(static_cast<double>(text) * tokens_of_byte / kLessATwentieth);
  const auto least = divided_up(text, kMaxTimes * bytes);
  return estimate >= static_cast<double>(text) ? text : std::max(static_cast<std::int64_t>(estimate), least);
}

std::optional<std::int64_t> LearnedUse::most_output(const Hash& key) noexcept {
  const auto* const calls = find(key);
  if (calls == nullptr || calls->outputs_seen == 0) return std::nullopt;
  return std::ranges::max(written(calls->outputs, calls->outputs_seen));
}

LearnedUse::Calls* LearnedUse::find(const Hash& key) noexcept {
  auto* const found = table_ ? table_->find(key) : nullptr;
  if (found != nullptr) found->used = ++uses_;
  return found;
}

LearnedUse::Calls& LearnedUse::of(const Hash& key) {
  if (!table_) table_ = std::make_unique<limit::RecentTable<Calls>>(keys_);
  if (auto* const found = find(key)) return *found;
  auto& made = *table_->insert(
      key, [](const Calls& a, const Calls& b) { return a.used > b.used; }, [](const Calls&) { return false; });
  made.used = ++uses_;
  return made;
}

}  // namespace headgate::gateway
