#pragma once
// The body of a request in a dry run.

#include "headgate/http/exchange_io.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// A body with an announced size and no content. `framing` must outlive it.
class AnnouncedBody final : public http::BodyReader {
 public:
  explicit AnnouncedBody(const http::Framing& framing) : framing_(framing) {}
  bool take_at_most(std::uint64_t most) noexcept override {
    return framing_.kind != http::Framing::Kind::length || framing_.length <= most;
  }
  Result<std::string_view> ready() override { return std::string_view{}; }
  Task<Result<std::string_view>> read() override { co_return std::string_view{}; }
  bool ended() const noexcept override { return true; }
  void cancel() noexcept override {}
  const http::Fields& trailers() const noexcept override { return none_; }

 private:
  const http::Framing& framing_;
  http::Fields none_;
};

}  // namespace headgate::gateway
