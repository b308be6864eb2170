#include "auth_memory.hpp"

#include <utility>

namespace headgate::gateway {

AuthMemory::~AuthMemory() { clear(); }

void AuthMemory::clear() noexcept {
  all_.clear();
  for (auto& [owner, list] : owners_) list.clear();
  owners_.clear();
  entries_.clear();
}

AuthAnswerPtr AuthMemory::get(const identity::Sha256& name, Clock::Steady now) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  auto& entry = *found->second;
  if (entry.until <= now) return erase(entry), nullptr;
  all_.splice(all_.end(), all_, all_.iterator_to(entry));
  auto& own = owners_.find(entry.owner)->second;
  own.splice(own.end(), own, own.iterator_to(entry));
  return entry.answer;
}

void AuthMemory::put(const identity::Sha256& name, const Hash& owner, AuthAnswerPtr answer, Clock::Steady until) {
  if (const auto known = entries_.find(name); known != entries_.end()) erase(*known->second);
  if (answer->text.capacity() > kLongest) return;
  if (const auto own = owners_.find(owner); own != owners_.end() && own->second.size() >= kMaxOfOne)
    erase(own->second.front());
  if (entries_.size() >= kMaxEntries) erase(all_.front());
  auto made = std::make_unique<Entry>();
  made->name = name;
  made->owner = owner;
  made->answer = std::move(answer);
  made->until = until;
  auto& entry = *made;
  auto& own = owners_[owner];
  entries_.emplace(name, std::move(made));
  all_.push_back(entry);
  own.push_back(entry);
}

void AuthMemory::erase(Entry& entry) noexcept {
  all_.erase(all_.iterator_to(entry));
  const auto own = owners_.find(entry.owner);
  own->second.erase(own->second.iterator_to(entry));
  if (own->second.empty()) owners_.erase(own);
  entries_.erase(entries_.find(entry.name));
}

}  // namespace headgate::gateway
