#include "headgate/core/hash.hpp"

#include "headgate/core/hash_secret.hpp"

#include <sys/random.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace headgate {
namespace {

// The secret has at least XXH3_SECRET_SIZE_MIN bytes. All are random, so no key schedule is needed.
using Secret = HashSecret;
static_assert(std::tuple_size_v<Secret> >= XXH3_SECRET_SIZE_MIN);

Secret adopted_secret;
enum class Source { own, adopted } secret_source = Source::own;
bool secret_used = false;

Secret draw_secret() noexcept {
  secret_used = true;
  if (secret_source == Source::adopted) return adopted_secret;
  Secret secret;
  std::size_t filled = 0;
  while (filled < secret.size()) {
    const ssize_t got = ::getrandom(secret.data() + filled, secret.size() - filled, 0);
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      std::fputs("headgate: the system gives no random bytes (getrandom)\n", stderr);
      std::abort();  // with a guessable secret a caller could construct a collision with the counter of another caller
    }
  }
  return secret;
}

std::uint64_t scatter(std::uint64_t x) noexcept {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

/// The state of SipHash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", section 2).
struct Sip {
  std::uint64_t a, b, c, d;

  void round() noexcept {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void take(std::uint64_t word) noexcept {
    d ^= word;
    round();
    round();
    a ^= word;
  }
};

/// Returns up to eight bytes as a number, the first byte lowest.
std::uint64_t little_endian(std::string_view bytes) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return word;
}

}  // namespace

const HashSecret& hash_secret() noexcept {
  static const Secret secret = draw_secret();
  return secret;
}

bool adopt_hash_secret(std::span<const unsigned char> secret) noexcept {
  if (secret_used || secret.size() != adopted_secret.size()) return false;
  std::memcpy(adopted_secret.data(), secret.data(), secret.size());
  secret_source = Source::adopted;
  return true;
}

Hash keyed_hash(std::string_view text, std::uint64_t seed) noexcept {
  const Secret& secret = hash_secret();
  const XXH128_hash_t hash = XXH3_128bits_withSecret(text.data(), text.size(), secret.data(), secret.size());
  // The seed is mixed in afterwards, because for short texts XXH3's own seed would replace the secret.
  const std::uint64_t apart = scatter(seed);
  return {hash.low64 ^ apart, hash.high64 + std::rotl(apart, 32)};
}

std::uint64_t keyed_digest(std::string_view text, const Hash& key) noexcept {
  Sip sip{.a = key.low ^ 0x736f6d6570736575,
          .b = key.high ^ 0x646f72616e646f6d,
          .c = key.low ^ 0x6c7967656e657261,
          .d = key.high ^ 0x7465646279746573};
  const auto last = std::uint64_t{text.size()} << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) sip.take(little_endian(text.substr(0, 8)));
  sip.take(text.empty() ? last : last | little_endian(text));
  sip.c ^= 0xff;
  for (int i = 0; i < 4; ++i) sip.round();
  return sip.a ^ sip.b ^ sip.c ^ sip.d;
}

std::uint64_t stable_hash(std::string_view text) noexcept { return XXH64(text.data(), text.size(), 0); }

}  // namespace headgate
