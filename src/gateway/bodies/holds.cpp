#include "holds.hpp"

#include "body_values.hpp"
#include "learned_use.hpp"
#include "pricing.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>
#include <optional>

namespace headgate::gateway {
namespace {

bool is_read(const Exchange& x) noexcept { return x.bodies && x.bodies->request_state() == BodyState::read; }

/// Returns the largest output that the request allows; empty if it sets no maximum or an ambiguous one. A maximum that
/// the gateway is about to lower counts as lowered.
std::optional<std::int64_t> allowed_output(const Exchange& x, const Cost& cost) noexcept {
  const auto& hold = cost.hold;
  if (!is_read(x)) return std::nullopt;
  std::optional<std::int64_t> allowed;
  std::int64_t alternatives = 1;
  if (!hold.pointer.empty()) {
    if (const auto* const found = request_value(x, hold.at)) allowed = cost_in_body(*found, cost.most);
    if (const auto* const provider = x.bodies->plan().provider) {
      // The server may prefer another member, and each alternative has an output of its own.
      alternatives = usage::asked_output_in(*provider, x.bodies->request()).alternatives;
      if (allowed) allowed = *allowed > scan::kMaxNumber / alternatives ? scan::kMaxNumber : *allowed * alternatives;
      if (const auto other = usage::most_output_in(*provider, x.bodies->request()))
        allowed = std::max(allowed.value_or(0), *other);
    }
  } else if (hold.of_usage) {
    const auto& provider = *x.bodies->plan().provider;
    allowed = usage::most_output_in(provider, x.bodies->request());
    alternatives = usage::asked_output_in(provider, x.bodies->request()).alternatives;
  }
  if (!hold.clamp || x.clamped == 0) return allowed;
  const auto clamped = x.clamped > scan::kMaxNumber / alternatives ? scan::kMaxNumber : x.clamped * alternatives;
  return std::min(allowed.value_or(clamped), clamped);
}

/// Returns the output that is held. Until calls of the key have been learned, `otherwise` is the output, or no bound if
/// it is not configured.
std::int64_t output_of(const Exchange& x, const Cost& cost, std::string_view key) noexcept {
  const auto allowed = allowed_output(x, cost);
  if (!cost.hold.learned) return allowed.value_or(cost.default_value);
  std::optional<std::int64_t> learned;
  if (is_read(x) && x.learned != nullptr) learned = x.learned->most_output(keyed_hash(key, cost.learned_as));
  const auto usual = learned.value_or(cost.hold.otherwise_most ? scan::kMaxNumber : cost.default_value);
  return std::min(usual, allowed.value_or(usual));
}

}  // namespace

std::int64_t bytes_of_token(const Cost& cost) noexcept {
  constexpr std::int64_t kUsual = 4;
  return cost.hold.input > 0 ? cost.hold.input : kUsual;
}

std::int64_t tokens_of(const Exchange& x, const Cost& cost, std::string_view key, std::int64_t text,
                       std::int64_t bytes) noexcept {
  // No token has less than a byte, so one byte for a token is a bound that must stay one.
  if (x.learned == nullptr || cost.learned_as == 0 || bytes == 1) return (text + bytes - 1) / bytes;
  return x.learned->tokens_of(keyed_hash(key, cost.learned_as), text, bytes);
}

std::int64_t input_of(const Exchange& x, const Cost& cost, std::string_view key, std::int64_t bytes) noexcept {
  if (bytes <= 0 || !is_read(x)) return 0;
  const auto& scan = x.bodies->request();
  return tokens_of(x, cost, key, static_cast<std::int64_t>(scan.text_bytes()), bytes) +
         static_cast<std::int64_t>(scan.blocks()) * kBlockCost;
}

std::int64_t hold_of(const Exchange& x, const Cost& cost, std::string_view key) noexcept {
  const auto most = std::max(cost.most, cost.default_value);
  const auto output = output_of(x, cost, key);
  const auto input = input_of(x, cost, key, cost.hold.input);
  if (cost.priced && cost.hold.of_usage)
    return std::min(most_money_of(x, cost, input, output).value_or(most), cost.most);
  return std::min(output + input, most);
}

}  // namespace headgate::gateway
