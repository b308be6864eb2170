#pragma once
// The question to an auth service: the head of the client's request, in the form in which the service gets it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/upstream/attempt.hpp"

#include <string>

namespace headgate::gateway {

/// A question to an auth service. After its construction, the question does not need its exchange, which may end before
/// the answer arrives. Contains views into itself, so it is never moved. Worker thread only.
class AuthQuestion {
 public:
  /// Makes the question of an exchange whose route has an auth service.
  explicit AuthQuestion(Exchange& x);
  AuthQuestion(const AuthQuestion&) = delete;
  AuthQuestion& operator=(const AuthQuestion&) = delete;

  /// Returns the name of the question. Two questions have the same name if the service gets the same fields, apart from
  /// the ids of request and trace that the gateway adds.
  const identity::Sha256& name();
  const upstream::RequestStart& start() const noexcept { return start_; }
  /// Returns the bytes of memory that the question takes.
  std::size_t size() const noexcept { return text_.capacity(); }

 private:
  void take(const http::Fields& fields);

  const Route& route_;
  std::string text_;
  TextBuffer head_;  ///< the buffer that the codec writes to
  http::Fields fields_;
  std::size_t unnamed_ = 0;  ///< number of fields at the end that are not part of the name: ids of request and trace
  upstream::RequestStart start_;
  identity::Sha256 name_{};
  bool named_ = false;
};

/// Returns the text of the credential that a 401 would reject: Authorization, or one of the fields that the route sends
/// to the service; empty if there is none. Cookies do not count, because a browser sends them whether or not the user
/// wants to sign in.
std::string_view shown_credential(Exchange& x);

}  // namespace headgate::gateway
