#include "headgate/identity/api_keys.hpp"

#include "headgate/core/hash.hpp"

#include <openssl/crypto.h>

#include <bit>

namespace headgate::identity {
namespace {

/// Where the search for a digest begins. Hashed under the secret of this process: a caller can make texts whose digests
/// begin alike, but neither they nor a digest handed to us say anything of where in the table they come to lie. So a
/// digest near a known one is sought as far from it as any other.
std::size_t first_slot(const Sha256& digest) noexcept {
  constexpr std::uint64_t kSeed = 0x6b657973;  // sets this use of the secret apart from the counters'
  return keyed_hash({reinterpret_cast<const char*>(digest.data()), digest.size()}, kSeed).low;
}

bool same(const Sha256& a, const Sha256& b) noexcept { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

}  // namespace

ApiKeys::ApiKeys(std::vector<ApiKeyRecord> records) : records_(std::move(records)) {
  if (records_.empty()) return;
  slots_.resize(std::bit_ceil(2 * records_.size()));  // at most half full, so that a search is short
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (find(records_[i].digest) != nullptr) continue;
    std::size_t slot = first_slot(records_[i].digest) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

const ApiKeyRecord* ApiKeys::find(const Sha256& digest) const noexcept {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = first_slot(digest) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const ApiKeyRecord& record = records_[slots_[slot] - 1];
    if (same(record.digest, digest)) return &record;
  }
  return nullptr;
}

}  // namespace headgate::identity
