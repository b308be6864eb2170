#pragma once
// What the auth service is asked about a request: its head, as the service gets it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/upstream/attempt.hpp"

#include <string>

namespace headgate::gateway {

/// One question. It needs nothing of the exchange once it is made, which may end before its answer is there. Views into
/// itself, so it is never moved. Worker thread only.
class AuthQuestion {
 public:
  /// Of an exchange whose route has an auth service.
  explicit AuthQuestion(Exchange& x);
  AuthQuestion(const AuthQuestion&) = delete;
  AuthQuestion& operator=(const AuthQuestion&) = delete;

  /// Names the question: of two with one name everything that the service gets is the same, but the ids of request and
  /// trace that the gateway adds.
  const identity::Sha256& name();
  const upstream::RequestStart& start() const noexcept { return start_; }
  /// Bytes of memory.
  std::size_t size() const noexcept { return text_.capacity(); }

 private:
  void take(const http::Fields& fields);

  const Route& route_;
  std::string text_;
  TextBuffer head_;  ///< where the codec writes
  http::Fields fields_;
  std::size_t unnamed_ = 0;  ///< how many of them, at the end, are such ids
  upstream::RequestStart start_;
  identity::Sha256 name_{};
  bool named_ = false;
};

/// Whether the request shows a credential that a 401 says is wrong: Authorization, or one of the fields that the route
/// sends to the service. Cookies do not count: a browser sends them whether anybody wants to enter or not. The text
/// names it; empty: there is none.
std::string_view shown_credential(Exchange& x);

}  // namespace headgate::gateway
