#pragma once
// An observer of the bytes of a body as they pass: an additional reader in the chain that a body is pulled through.
// Used by gateway.

#include "headgate/http/exchange_io.hpp"

namespace headgate::http {

/// A reader that observes the bytes that the next reader in the chain returns, and passes them on without copying or
/// waiting. Worker thread only; lives as long as its exchange.
class BodyLook : public BodyReader {
 public:
  /// Makes this observer read from `from`; bytes that were read earlier are not observed. Returns the observer, from
  /// which the caller then reads.
  BodyReader& before(BodyReader& from) noexcept {
    from_ = &from;
    return *this;
  }

  bool take_at_most(std::uint64_t most) noexcept final { return from_->take_at_most(most); }
  Result<std::string_view> ready() final { return seen(from_->ready()); }
  Task<Result<std::string_view>> read() final { co_return seen(co_await from_->read()); }
  bool ended() const noexcept final { return from_->ended(); }
  void cancel() noexcept final { from_->cancel(); }
  const Fields& trailers() const noexcept final { return from_->trailers(); }

  BodyLook* next = nullptr;  ///< the observer in front of this one, in a list that is set up before the body arrives

 private:
  /// Observes the next bytes of the body, without framing. `bytes` is not empty, and is valid during the call.
  virtual void look(std::string_view bytes) noexcept = 0;

  Result<std::string_view> seen(const Result<std::string_view>& bytes) noexcept {
    if (bytes.has_value() && !bytes->empty()) look(*bytes);
    return bytes;
  }

  BodyReader* from_ = nullptr;
};

/// Returns the last observer of the list, which reads from `from`; returns `from` if the list is empty.
inline BodyReader& through(BodyLook* looks, BodyReader& from) noexcept {
  auto* out = &from;
  for (; looks != nullptr; looks = looks->next) out = &looks->before(*out);
  return *out;
}

}  // namespace headgate::http
