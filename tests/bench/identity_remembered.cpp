// A token that was checked before.
#include "identity_issuer.hpp"
#include "identity_rows.hpp"

#include "headgate/identity/token_cache.hpp"

#include <random>

namespace headgate::bench {
namespace {

using identity::TokenCache;

constexpr std::size_t kTokens = 10'000;  // of each kind

/// Tokens of as many callers, and the memory after each was verified once.
struct Remembered {
  TokenCache memory{kTokens};
  std::vector<std::string> good;
  std::vector<std::string> forged;
  std::vector<std::uint32_t> order;  // in which they come back
};

void fill(Remembered& all) {
  const auto key = test::make_curve_key("P-256");
  const auto verifier = make_verifier(identity::JwtAlgorithm::ES256, public_half(key.get()));
  all.good.reserve(kTokens);
  all.forged.reserve(kTokens);
  for (std::size_t i = 0; i < kTokens; ++i) {
    auto token = test::sign(key.get(), "ES256", claims_of(i), "2026-10");
    auto forged = token;
    char& within_signature = forged[forged.size() - 20];
    within_signature = within_signature == 'A' ? 'B' : 'A';
    auto verified = verifier->verify(token, kNow);
    const auto refused = verifier->verify(forged, kNow);
    if (!verified || !refused.has_error()) throw std::runtime_error("tokens are not told apart");
    all.memory.put(token, std::move(*verified));
    all.memory.put(forged, refused.error());
    all.good.push_back(std::move(token));
    all.forged.push_back(std::move(forged));
  }
  std::mt19937 random(1);
  all.order.resize(kTokens);
  for (auto& at : all.order) at = static_cast<std::uint32_t>(random() % kTokens);
}

enum class Kind { verified, refused };

Contender get(Remembered& all, Kind kind) {
  return [&all, kind, turn = std::size_t{0}](std::size_t times) mutable {
    const auto& tokens = kind == Kind::verified ? all.good : all.forged;
    for (std::size_t i = 0; i < times; ++i) {
      const auto known = all.memory.get(tokens[all.order[turn]], kNow);
      if (++turn == kTokens) turn = 0;
      if (!known || (known->token != nullptr) != (kind == Kind::verified))
        throw std::runtime_error("a token forgotten");
    }
  };
}

}  // namespace

Rows remembered_rows(const Rounds& rounds) {
  Remembered all;
  fill(all);
  const auto costs = measure({get(all, Kind::verified), get(all, Kind::refused)}, rounds);
  const auto verified = spread(costs[0]);
  const auto size = std::to_string(all.good.front().size());
  return {{.what = "remembered token of " + size + " bytes, among 10,000",
           .target = "<= 1000 ns",
           .result = nanoseconds(verified),
           .reached = verified.middle <= 1000},
          {.what = "remembered refused token, among 10,000",
           .target = "",
           .result = nanoseconds(spread(costs[1])),
           .reached = std::nullopt}};
}

}  // namespace headgate::bench
