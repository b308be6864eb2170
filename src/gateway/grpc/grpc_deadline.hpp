#pragma once
// The time that the caller of a gRPC call still waits while the call is at a server. The caller chooses this time, so a
// server is not at fault if the time is too short.

#include "grpc_call.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/upstream/failure.hpp"

#include <array>
#include <optional>

namespace headgate::gateway {

/// The deadline of one exchange; lives in its relay. Worker thread only.
class GrpcDeadline {
 public:
  explicit GrpcDeadline(Exchange& x) : x_(x) {
    if (is_grpc(x)) [[unlikely]]
      read();
  }
  /// Returns whether the caller set a deadline.
  explicit operator bool() const noexcept { return at_.has_value(); }
  /// Writes the remaining time, at most the route's timeout, into the fields for the server. Returns false if no time
  /// is left.
  bool pass_on();
  /// Returns how long the head of an answer may take: the route's timeout, or the time that the caller waits if that is
  /// shorter.
  Duration most() const;
  bool over() const;

  static upstream::Failure failure() noexcept;

 private:
  void read();

  Exchange& x_;
  std::optional<Clock::Steady> at_;
  std::array<char, 9> text_{};
};

}  // namespace headgate::gateway
