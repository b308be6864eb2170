#pragma once
// Bounds the memory of a worker's encoders, in total and per client address.

#include "headgate/net/block_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace headgate::gateway {

/// Counts the active encoders of one worker. Each encoder is charged for the maximum memory that it may use, so none
/// fails midway. Worker thread only.
class EncoderPlaces {
 public:
  /// Maximum memory of all encoders of the worker, in bytes.
  static constexpr std::size_t kMaxBytes = 64UL << 20;
  /// Maximum number of simultaneous encoders for one address, so that one client cannot use the memory of all others.
  static constexpr unsigned kMaxOfAddress = 16;

  /// The place of one answer's encoder; empty if nothing is charged. Must be given back before it is destroyed.
  class Place {
   private:
    friend class EncoderPlaces;
    std::pair<const std::string, unsigned>* of_ = nullptr;
    std::size_t bytes_ = 0;
  };

  /// `lent` counts the memory of the worker and outlives this object; null if that memory is not counted.
  explicit EncoderPlaces(net::LentBytes::Share* lent) noexcept : lent_(lent) {}
  EncoderPlaces(const EncoderPlaces&) = delete;
  EncoderPlaces& operator=(const EncoderPlaces&) = delete;

  /// Charges `address` for an encoder of `bytes` bytes. Returns false in three cases: the address has too many
  /// encoders; the worker's memory for encoders is used up; or encoders and connections together would use more than
  /// half of `bound`. The other half is for connections alone. `bound` is the bound of LentBytes in bytes; 0 if there
  /// is none.
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

  /// Gives the memory of `place` back. Does nothing if `place` is empty.
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
  std::unordered_map<std::string, unsigned> of_address_;  ///< number of encoders for each address, at least 1
};

}  // namespace headgate::gateway
