#pragma once
// Answers of auth services that count for a time.

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

/// Bounded in entries and bytes. An address has at most an eighth of the entries: who has it full pushes out its own,
/// the longest unused one first, and nobody else's. Of one worker.
class AuthMemory {
 public:
  static constexpr std::size_t kMaxEntries = 8192;
  static constexpr std::size_t kMaxOfOne = kMaxEntries / 8;
  /// An answer whose text takes more memory is not remembered.
  static constexpr std::size_t kLongest = 2048;

  AuthMemory() = default;
  ~AuthMemory();
  AuthMemory(const AuthMemory&) = delete;
  AuthMemory& operator=(const AuthMemory&) = delete;

  /// Null if nothing is known now.
  AuthAnswerPtr get(const identity::Sha256& name, Clock::Steady now);
  /// `owner` is charged for it.
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
  /// The one that was used last stands at the end.
  template <class Tag>
  using List = boost::intrusive::list<Entry, boost::intrusive::base_hook<Hook<Tag>>>;

  void erase(Entry& entry) noexcept;

  std::unordered_map<identity::Sha256, std::unique_ptr<Entry>, NameHash> entries_;
  std::unordered_map<Hash, List<OfOwner>, OwnerHash> owners_;
  List<OfAll> all_;
};

}  // namespace headgate::gateway
