#include "headgate/core/hash.hpp"
#include "headgate/simulate/tally.hpp"

namespace headgate::simulate {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10U;

std::uint64_t digest_of(std::string_view key) noexcept { return keyed_hash(key, 0).low; }

}  // namespace

bool TalliedKeys::add(std::string_view key, bool rejected) {
  const auto digest = digest_of(key);
  auto at = counts_.find(digest);
  if (at == counts_.end()) {
    if (room_->keys == 0) return false;
    --room_->keys;
    at = counts_.emplace(digest, KeyCount()).first;
  }
  auto& count = at->second;
  ++count.requests;
  if (!rejected) return true;
  if (count.rejected++ == 0) {
    ++rejected_;
    keep_text(digest, key);
  }
  return true;
}

void TalliedKeys::keep_text(std::uint64_t digest, std::string_view key) {
  if (key.size() > room_->bytes) return;
  room_->bytes -= key.size();
  if (blocks_.empty() || blocks_.back().size() + key.size() > kBlock) blocks_.emplace_back();
  auto& block = blocks_.back();
  texts_.emplace(digest, TextPlace{static_cast<std::uint32_t>(blocks_.size() - 1),
                                   static_cast<std::uint32_t>(block.size()), static_cast<std::uint32_t>(key.size())});
  block += key;
}

const KeyCount* TalliedKeys::find(std::string_view key) const { return find(digest_of(key)); }

const KeyCount* TalliedKeys::find(std::uint64_t digest) const {
  const auto at = counts_.find(digest);
  return at == counts_.end() ? nullptr : &at->second;
}

std::string_view TalliedKeys::text(std::uint64_t digest) const {
  const auto at = texts_.find(digest);
  if (at == texts_.end()) return {};
  const auto& [block, begin, size] = at->second;
  return std::string_view(blocks_[block]).substr(begin, size);
}

}  // namespace headgate::simulate
