#pragma once
// Answers of auth services that are reused for a time.

#include "headgate/core/clock.hpp"
#include "headgate/core/hash.hpp"
#include "headgate/gateway/auth_service.hpp"
#include "headgate/identity/sha256.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace headgate::gateway {

/// A table with at most a certain number of entries and bytes. An address has at most an eighth of the entries; beyond
/// that, a new entry displaces the address's own least recently used one. Belongs to one worker.
class AuthMemory {
 public:
  static constexpr std::size_t kMaxEntries = 8192;
  static constexpr std::size_t kMaxOfOne = kMaxEntries / 8;
  /// The largest answer that is remembered, in bytes of memory.
  static constexpr std::size_t kLongest = 2048;

  AuthMemory() = default;
  ~AuthMemory();
  AuthMemory(const AuthMemory&) = delete;
  AuthMemory& operator=(const AuthMemory&) = delete;

  /// Returns the answer if it is still valid; otherwise null.
  AuthAnswerPtr get(const identity::Sha256& name, Clock::Steady now);
  /// Remembers an answer. `owner` is charged for the entry.
  void put(const identity::Sha256& name, const Hash& owner, AuthAnswerPtr answer, Clock::Steady until);
  void clear() noexcept;
  std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct OfAll;
  struct OfOwner;
  template <class Tag>
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::tag<Tag>>;
  struct NameHash {
    std::size_t operator()(const identity::Sha256& name) const noexcept {
      std::size_t out = 0;
      std::memcpy(&out, name.data(), sizeof out);
      return out;
    }
  };
  struct OwnerHash {
    std::size_t operator()(const Hash& owner) const noexcept { return owner.low; }
  };
  struct Entry : Hook<OfAll>, Hook<OfOwner> {
    identity::Sha256 name{};
    Hash owner;
    AuthAnswerPtr answer;
    Clock::Steady until;
  };
  /// The most recently used entry is the last one.
  template <class Tag>
  using List = boost::intrusive::list<Entry, boost::intrusive::base_hook<Hook<Tag>>>;

  void erase(Entry& entry) noexcept;

  std::unordered_map<identity::Sha256, std::unique_ptr<Entry>, NameHash> entries_;
  std::unordered_map<Hash, List<OfOwner>, OwnerHash> owners_;
  List<OfAll> all_;
};

}  // namespace headgate::gateway
