#pragma once
// A body of zeros, or of a text, that has arrived completely from the start.

#include "headgate/http/exchange_io.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::engine {

class BlankBody final : public http::BodyReader {
 public:
  /// Begins a body of this length. An empty `text` stands for zeros; otherwise the text has that length, and lives as
  /// long as the body.
  void begin(std::uint64_t bytes, std::string_view text = {}) noexcept {
    left_ = bytes;
    text_ = text;
  }

  bool take_at_most(std::uint64_t most) noexcept override { return left_ <= most; }
  Result<std::string_view> ready() override { return take(); }
  Task<Result<std::string_view>> read() override { co_return take(); }
  bool ended() const noexcept override { return left_ == 0; }
  void cancel() noexcept override {}
  const http::Fields& trailers() const noexcept override { return none_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{64} * 1024;
  static constexpr std::array<char, kPiece> kZeros{};

  std::string_view take() noexcept {
    if (!text_.empty()) {
      left_ = 0;
      return std::exchange(text_, {});
    }
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPiece));
    left_ -= taken;
    return {kZeros.data(), taken};
  }

  std::uint64_t left_ = 0;
  std::string_view text_;
  http::Fields none_;
};

}  // namespace headgate::engine
