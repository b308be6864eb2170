#pragma once
// How much memory the encoders of a worker may take, and whose.

#include "headgate/net/block_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace headgate::gateway {

/// Counts the encoders that are at work. Each is charged with the most that it may come to take, so none has to be
/// refused on its way. Of one worker; its thread only.
class EncoderPlaces {
 public:
  /// For all encoders of the worker, in bytes.
  static constexpr std::size_t kMaxBytes = 64UL << 20;
  /// For the answers of one address at the same time: it holds a few, and others find room beside it.
  static constexpr unsigned kMaxOfAddress = 16;

  /// The encoder of one answer; empty: there is none. Give it back before it is destroyed.
  class Place {
   private:
    friend class EncoderPlaces;
    std::pair<const std::string, unsigned>* of_ = nullptr;
    std::size_t bytes_ = 0;
  };

  /// `lent` counts the memory of the worker; null: nobody does. It outlives this.
  explicit EncoderPlaces(net::LentBytes::Share* lent) noexcept : lent_(lent) {}
  EncoderPlaces(const EncoderPlaces&) = delete;
  EncoderPlaces& operator=(const EncoderPlaces&) = delete;

  /// Charges `address` with an encoder of so many bytes. False if it has too many, or the worker has no room, or more
  /// than half of `bound` would be used; half of it is left to connections. `bound`: that of LentBytes; 0: none.
  bool take(std::string_view address, std::size_t bytes, std::uint64_t bound, Place& place) {
    if (bytes_ + bytes > kMaxBytes) return false;
    if (bound > 0 && lent_ != nullptr && lent_->all() + bytes > bound / 2) return false;
    auto& of = *of_address_.try_emplace(std::string(address)).first;
    if (of.second >= kMaxOfAddress) return false;
    ++of.second;
    place.of_ = &of;
    place.bytes_ = bytes;
    charge(static_cast<std::int64_t>(bytes));
    return true;
  }

  /// Nothing happens for an empty one.
  void give_back(Place& place) noexcept {
    if (place.of_ == nullptr) return;
    charge(-static_cast<std::int64_t>(place.bytes_));
    auto* const of = std::exchange(place.of_, nullptr);
    if (--of->second == 0) of_address_.erase(of_address_.find(of->first));
  }

  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void charge(std::int64_t bytes) noexcept {
    bytes_ = static_cast<std::size_t>(static_cast<std::int64_t>(bytes_) + bytes);
    if (lent_ != nullptr) lent_->add(bytes);
  }

  net::LentBytes::Share* lent_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::string, unsigned> of_address_;  ///< how many each has; none is 0
};

}  // namespace headgate::gateway
