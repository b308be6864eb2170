#pragma once
// An observer of the bytes of a body as they pass: an additional reader in the chain that a body is pulled through.
// Used by gateway.

#include "headgate/http/exchange_io.hpp"

#include <string_view>
#include <utility>

namespace headgate::http {

/// A reader that observes the bytes that the next reader in the chain returns, and passes them on without copying or
/// waiting. A piece is observed when its receiver asks for the next one, so that the receiver gets the piece without
/// delay. Worker thread only; lives as long as its exchange.
class BodyLook : public BodyReader {
 public:
  /// Makes this observer read from `from`; bytes that were read earlier are not observed. Returns the observer, from
  /// which the caller then reads.
  BodyReader& before(BodyReader& from) noexcept {
    from_ = &from;
    return *this;
  }

  bool take_at_most(std::uint64_t most) noexcept final { return from_->take_at_most(most); }
  Result<std::string_view> ready() final {
    catch_up();
    return kept(from_->ready());
  }
  Task<Result<std::string_view>> read() final {
    catch_up();
    co_return kept(co_await from_->read());
  }
  bool ended() const noexcept final { return from_->ended(); }
  void cancel() noexcept final { from_->cancel(); }
  const Fields& trailers() const noexcept final { return from_->trailers(); }

  /// Observes the last piece now. Whoever stops reading calls it while that piece is valid.
  void catch_up() noexcept {
    if (!last_.empty()) look(std::exchange(last_, {}));
  }

  BodyLook* next = nullptr;  ///< the observer in front of this one, in a list that is set up before the body arrives

 private:
  /// Observes the next bytes of the body, without framing. `bytes` is not empty, and is valid during the call.
  virtual void look(std::string_view bytes) noexcept = 0;

  Result<std::string_view> kept(const Result<std::string_view>& bytes) noexcept {
    if (bytes.has_value()) last_ = *bytes;
    return bytes;
  }

  BodyReader* from_ = nullptr;
  std::string_view last_;  // the piece that is not yet observed
};

/// Returns the last observer of the list, which reads from `from`; returns `from` if the list is empty.
inline BodyReader& through(BodyLook* looks, BodyReader& from) noexcept {
  auto* out = &from;
  for (; looks != nullptr; looks = looks->next) out = &looks->before(*out);
  return *out;
}

}  // namespace headgate::http
