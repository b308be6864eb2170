#pragma once
// A look at the bytes of a body as they pass: one more reader in the chain through which a body is pulled.

#include "headgate/http/exchange_io.hpp"

namespace headgate::http {

/// Gives what the reader behind it gives, as it comes, and sees it: nothing is copied, and nothing waits. Worker thread
/// only; lives as long as its exchange.
class BodyLook : public BodyReader {
 public:
  /// Stands in front of `from` from now on; what was read before is not seen. Returns itself, to read from.
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

  BodyLook* next = nullptr;  ///< the one in front of it, in a list of looks at a body that is not there yet

 private:
  /// The next bytes of the body, without its framing; valid during the call. At the end of a body there are none.
  virtual void look(std::string_view bytes) noexcept = 0;

  Result<std::string_view> seen(const Result<std::string_view>& bytes) noexcept {
    if (bytes.has_value() && !bytes->empty()) look(*bytes);
    return bytes;
  }

  BodyReader* from_ = nullptr;
};

/// `from` as the last of the list sees it; `from` itself where nobody looks.
inline BodyReader& through(BodyLook* looks, BodyReader& from) noexcept {
  auto* out = &from;
  for (; looks != nullptr; looks = looks->next) out = &looks->before(*out);
  return *out;
}

}  // namespace headgate::http
