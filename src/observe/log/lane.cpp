#include "lane.hpp"

#include <cstring>

namespace headgate::observe {
namespace {

constexpr std::uint64_t kCapacity = Lane::kBlock * Lane::kBlocks;

}  // namespace

Lane::Lane() : bytes_(new char[kCapacity]) {}

Lane::Pushed Lane::push(std::string_view line) noexcept {
  const auto head = head_.load(std::memory_order_relaxed);
  const auto used = head % kBlock;
  // A line that would fill a block completely goes into the next one. So the code below always gets to record the used
  // length of a block.
  const bool leaves = used + line.size() >= kBlock;
  const auto at = leaves ? head - used + kBlock : head;
  if (line.size() > kLongest || at + line.size() - tail_.load(std::memory_order_acquire) > kCapacity) {
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return Pushed::dropped;
  }
  if (leaves) used_[head / kBlock % kBlocks] = static_cast<std::uint32_t>(used);
  std::memcpy(bytes_.get() + at % kCapacity, line.data(), line.size());
  head_.store(at + line.size(), std::memory_order_release);
  return leaves ? Pushed::block_full : Pushed::kept;
}

std::string_view Lane::front() noexcept {
  const auto head = head_.load(std::memory_order_acquire);
  auto tail = tail_.load(std::memory_order_relaxed);
  auto block = tail / kBlock;
  if (block < head / kBlock && tail == block * kBlock + used_[block % kBlocks]) {
    tail = ++block * kBlock;
    tail_.store(tail, std::memory_order_release);
  }
  const auto end = block == head / kBlock ? head : block * kBlock + used_[block % kBlocks];
  return {bytes_.get() + tail % kCapacity, static_cast<std::size_t>(end - tail)};
}

void Lane::pop(std::size_t bytes) noexcept {
  tail_.store(tail_.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
}

}  // namespace headgate::observe
