#include "headgate/core/hash.hpp"

#include <sys/random.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace headgate {
namespace {

using Secret =
    std::array<unsigned char, 192>;  // at least XXH3_SECRET_SIZE_MIN; all of it random, so no key schedule is needed

Secret draw_secret() noexcept {
  Secret secret;
  std::size_t filled = 0;
  while (filled < secret.size()) {
    const ssize_t got = ::getrandom(secret.data() + filled, secret.size() - filled, 0);
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      std::fputs("headgate: the system gives no random bytes (getrandom)\n", stderr);
      std::abort();  // a guessable secret would let a caller aim at another's counter
    }
  }
  return secret;
}

std::uint64_t scatter(std::uint64_t x) noexcept {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace

Hash keyed_hash(std::string_view text, std::uint64_t seed) noexcept {
  static_assert(std::tuple_size_v<Secret> >= XXH3_SECRET_SIZE_MIN);
  static const Secret secret = draw_secret();
  const XXH128_hash_t hash = XXH3_128bits_withSecret(text.data(), text.size(), secret.data(), secret.size());
  // The seed goes in afterwards: XXH3's own seed would, for short texts, take the secret's place.
  const std::uint64_t apart = scatter(seed);
  return {hash.low64 ^ apart, hash.high64 + std::rotl(apart, 32)};
}

std::uint64_t stable_hash(std::string_view text) noexcept { return XXH64(text.data(), text.size(), 0); }

}  // namespace headgate
