#include "headgate/identity/api_keys.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/identity/jwt.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <bit>

namespace headgate::identity {
namespace {

/// Returns the slot and the mark of a digest in the table. Both depend on the secret of this process. A caller can make
/// texts whose digests have the same beginning, but cannot know their slots. So the time of a search does not reveal
/// how similar a digest is to a known one.
Hash place_of(const Sha256& digest) noexcept {
  constexpr std::uint64_t kSeed = 0x6b657973;  // makes these hashes different from those of counters
  return keyed_hash({reinterpret_cast<const char*>(digest.data()), digest.size()}, kSeed);
}

bool same(const Sha256& a, const Sha256& b) noexcept { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

}  // namespace

bool is_group_name(std::string_view name) noexcept { return name.size() <= kMaxGroupNameBytes && is_claim_name(name); }

bool is_group_value(std::string_view value) noexcept {
  return !value.empty() && value.size() <= kMaxGroupBytes &&
         std::none_of(value.begin(), value.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
}

std::string_view ApiKeyRecord::group(std::string_view name) const noexcept {
  const auto at = std::find_if(groups.begin(), groups.end(), [name](const auto& each) { return each.first == name; });
  return at == groups.end() ? std::string_view() : std::string_view(at->second);
}

ApiKeys::ApiKeys(std::vector<ApiKeyRecord> records) : records_(std::move(records)) {
  if (records_.empty()) return;
  slots_.resize(std::bit_ceil(2 * records_.size()));  // at most half full, so that a search is short
  const std::size_t last = slots_.size() - 1;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (find(records_[i].digest) != nullptr) continue;
    const Hash place = place_of(records_[i].digest);
    std::size_t at = place.low & last;
    while (slots_[at].record != 0) at = (at + 1) & last;
    slots_[at] = {static_cast<std::uint32_t>(place.high), static_cast<std::uint32_t>(i + 1)};
  }
}

const ApiKeyRecord* ApiKeys::find(const Sha256& digest) const noexcept {
  if (slots_.empty()) return nullptr;
  const std::size_t last = slots_.size() - 1;
  const Hash place = place_of(digest);
  const auto mark = static_cast<std::uint32_t>(place.high);
  for (std::size_t at = place.low & last; slots_[at].record != 0; at = (at + 1) & last) {
    if (slots_[at].mark != mark) continue;
    const ApiKeyRecord& record = records_[slots_[at].record - 1];
    if (same(record.digest, digest)) return &record;
  }
  return nullptr;
}

const ApiKeyRecord* ApiKeys::of_owner(std::string_view owner, Instant now) const noexcept {
  const ApiKeyRecord* any = nullptr;
  for (const auto& record : records_) {
    if (record.owner != owner) continue;
    if (!record.disabled && !(record.expires && now >= *record.expires)) return &record;
    if (any == nullptr) any = &record;
  }
  return any;
}

}  // namespace headgate::identity
