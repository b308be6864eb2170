#include "told_size.hpp"

#include "own_size.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/key_source.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

/// Multiplicative hashing: numbers that differ only in their last digits get different slots.
std::size_t first_slot(std::uint64_t number) noexcept {
  return static_cast<std::size_t>((number * 0x9e3779b97f4a7c15ULL) >> 56) % ToldSizes::kMax;
}

}  // namespace

std::unique_ptr<const CompiledTier> compile_size(const CompiledLimit& limit, std::uint64_t count) {
  const auto& from = *limit.limit.size_from;
  auto rate = limit.limit.tiers.front().rules.front().rate;
  rate.count = count;
  const auto tier = own_size(limit.limit, {&rate, 1}, from.burst);
  if (tier.has_error()) return nullptr;
  auto made = std::make_unique<CompiledTier>(compile_tier(*tier, limit.share, limit.limit.shards));
  made->number = limit.tiers.front().number;
  made->name = to_text(from.from);
  return made;
}

ToldSizes::~ToldSizes() {
  for (const auto& slot : slots_) delete slot.load(std::memory_order_relaxed);
}

const CompiledTier* ToldSizes::find(std::uint64_t number) const noexcept {
  for (std::size_t i = 0; i < kTries; ++i) {
    const auto* const kept = slots_[(first_slot(number) + i) % kMax].load(std::memory_order_acquire);
    if (kept == nullptr) return nullptr;
    if (kept->number == number) return kept->tier.get();
  }
  return nullptr;
}

const CompiledTier* ToldSizes::keep(std::uint64_t number, std::unique_ptr<const CompiledTier>& tier) {
  auto made = std::make_unique<Kept>(Kept{number, std::move(tier)});
  for (std::size_t i = 0; i < kTries; ++i) {
    const Kept* there = nullptr;
    if (slots_[(first_slot(number) + i) % kMax].compare_exchange_strong(there, made.get(), std::memory_order_acq_rel,
                                                                        std::memory_order_acquire))
      return made.release()->tier.get();
    if (there->number == number) return there->tier.get();
  }
  tier = std::move(made->tier);
  return nullptr;
}

const CompiledTier& told_size(Exchange& x, const CompiledLimit& limit) {
  const auto& from = *limit.limit.size_from;
  const auto text = from.from.source->tier.value(x, from.from.name);
  const auto number = cost_in(text, static_cast<std::int64_t>(from.most)).cost.value_or(0);
  if (number == 0) return limit.tiers.front();
  const auto count = static_cast<std::uint64_t>(number);
  if (const auto* const known = limit.told->find(count)) return *known;
  // Each descriptor of a call of the rate limit service may name another number.
  for (const auto& own : x.admission.own_sizes)
    if (own.limit == &limit && x.rate_limit == nullptr) return *own.tier;
  auto made = compile_size(limit, count);
  if (made == nullptr) return limit.tiers.front();
  if (const auto* const kept = limit.told->keep(count, made)) return *kept;
  return *x.admission.own_sizes.emplace_back(OwnSize{&limit, std::move(made)}).tier;
}

}  // namespace headgate::gateway
