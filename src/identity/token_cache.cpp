#include "headgate/identity/token_cache.hpp"

#include "headgate/core/hash.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace headgate::identity {
namespace {

/// The bytes of a token with their hash, so that the hash is computed only once.
struct TokenKey {
  std::uint64_t hash = 0;
  std::string_view bytes;
  bool operator==(const TokenKey& other) const noexcept { return hash == other.hash && bytes == other.bytes; }
};
struct HashOfKey {
  std::size_t operator()(const TokenKey& key) const noexcept { return key.hash; }
};

TokenKey key_of(std::string_view token) noexcept {
  constexpr std::uint64_t kSeed = 0x746f6b656e73;  // "tokens"; makes these hashes different from those of counters
  return {keyed_hash(token, kSeed).low, token};
}

constexpr std::size_t kNode = 16;    // overhead of an allocation, in bytes
constexpr std::size_t kEntry = 256;  // size in bytes of a list node, a map node, a bucket and the result
constexpr std::size_t kClaim = 48 + sizeof(Claims::value_type);  // size in bytes of a node of the claims' map

std::size_t heap_size(const std::string& text) noexcept {
  return text.capacity() > std::string().capacity() ? text.capacity() + kNode : 0;
}

std::size_t heap_size(const Claims& claims) noexcept {
  std::size_t size = 0;
  for (const auto& [name, value] : claims) size += kClaim + heap_size(name) + heap_size(value);
  return size;
}

std::size_t heap_size(const VerifiedToken& token) noexcept {
  auto size = heap_size(token.claims) + heap_size(token.lists) + token.literals.capacity() * sizeof(std::string);
  for (const auto& name : token.literals) size += heap_size(name);
  return size;
}

}  // namespace

/// Tokens of one kind, the most recently used first.
class TokenCache::Side {
 public:
  Side(std::size_t most, std::size_t bytes_each) noexcept : most_(most), most_bytes_(most * bytes_each) {}

  const Known* find(const TokenKey& key, Instant now) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    const auto entry = found->second;
    if (now >= entry->until) {
      erase(entry);
      return nullptr;
    }
    if (now < entry->from) return nullptr;
    entries_.splice(entries_.begin(), entries_, entry);
    return &entry->known;
  }

  void insert(const TokenKey& key, Known known, Instant from, Instant until, std::size_t claims) {
    erase(key);
    const auto size = key.bytes.size() + claims + kEntry;
    if (most_ == 0 || size > most_bytes_) return;
    while (by_key_.size() >= most_ || bytes_ + size > most_bytes_) erase(std::prev(entries_.end()));
    entries_.push_front({.hash = key.hash,
                         .token = std::string(key.bytes),
                         .known = std::move(known),
                         .from = from,
                         .until = until,
                         .bytes = size});
    by_key_.emplace(entries_.front().key(), entries_.begin());
    bytes_ += size;
  }

  void erase(const TokenKey& key) noexcept {
    if (const auto found = by_key_.find(key); found != by_key_.end()) erase(found->second);
  }

  void clear() noexcept {
    by_key_.clear();
    entries_.clear();
    bytes_ = 0;
  }

 private:
  struct Entry {
    std::uint64_t hash;
    std::string token;
    Known known;
    Instant from;
    Instant until;
    std::size_t bytes;

    TokenKey key() const noexcept { return {hash, token}; }
  };
  using Entries = std::list<Entry>;

  void erase(Entries::iterator entry) noexcept {
    bytes_ -= entry->bytes;
    by_key_.erase(entry->key());
    entries_.erase(entry);
  }

  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  Entries entries_;
  std::unordered_map<TokenKey, Entries::iterator, HashOfKey> by_key_;  // the keys of the map are views of the entries
};

TokenCache::TokenCache(std::size_t most)
    : verified_(std::make_unique<Side>(most, kVerifiedBytes)), refused_(std::make_unique<Side>(most, kRefusedBytes)) {}
TokenCache::~TokenCache() = default;

std::optional<TokenCache::Known> TokenCache::get(std::string_view token, Instant now) {
  const auto key = key_of(token);
  if (const auto* known = verified_->find(key, now)) return *known;
  if (const auto* known = refused_->find(key, now)) return *known;
  return std::nullopt;
}

TokenPtr TokenCache::put(std::string_view token, VerifiedToken verified) {
  const auto key = key_of(token);
  auto kept = boost::make_local_shared<const VerifiedToken>(std::move(verified));
  refused_->erase(key);
  verified_->insert(key, {kept, std::nullopt}, kept->good_from, kept->good_until, heap_size(*kept));
  return kept;
}

void TokenCache::put(std::string_view token, const RefusedToken& refused) {
  if (refused.error == JwtError::too_large) return;
  const auto key = key_of(token);
  verified_->erase(key);
  refused_->insert(key, {nullptr, refused}, Instant::min(), refused.until, 0);
}

void TokenCache::clear() noexcept {
  verified_->clear();
  refused_->clear();
}

}  // namespace headgate::identity
