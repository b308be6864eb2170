#include "security/h2/frames.hpp"

#include "blackbox/harness/h2_client.hpp"

#include <algorithm>

namespace headgate::test::h2 {
namespace {

constexpr std::size_t kStreamAt = 5;

}  // namespace

Frames& Frames::add(std::uint8_t type, std::uint8_t flags, std::string_view payload, std::uint32_t stream) {
  numbers_.push_back({bytes_.size() + kStreamAt, stream});
  bytes_ += h2_frame(type, flags, 0, payload);
  streams_ = std::max(streams_, stream + 1);
  return *this;
}

Frames& Frames::depend_on_itself() {
  add(h2_priority, 0, std::string(5, '\0'));
  const auto& frame = numbers_.back();
  numbers_.push_back({frame.at - kStreamAt + kFrameHead, frame.stream});
  return *this;
}

Frames& Frames::append(const Frames& more) {
  for (const auto& number : more.numbers_) numbers_.push_back({bytes_.size() + number.at, streams_ + number.stream});
  bytes_ += more.bytes_;
  streams_ += more.streams_;
  return *this;
}

Frames Frames::times(std::size_t count) const {
  Frames out;
  for (std::size_t i = 0; i < count; ++i) out.append(*this);
  return out;
}

void Frames::append_to(std::string& out, std::uint32_t& next) const {
  const auto begin = out.size();
  out += bytes_;
  for (const auto& number : numbers_) {
    const auto id = next + 2 * number.stream;
    for (std::size_t i = 0; i < 4; ++i) out[begin + number.at + i] = static_cast<char>(id >> (24 - 8 * i));
  }
  next += 2 * streams_;
}

}  // namespace headgate::test::h2
