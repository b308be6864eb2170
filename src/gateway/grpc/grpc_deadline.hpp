#pragma once
// How long the caller of gRPC still waits while its call is at a server. Its own choice says nothing about that server.

#include "grpc_call.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/upstream/failure.hpp"

#include <array>
#include <optional>

namespace headgate::gateway {

/// Of one exchange; lives in its relay. Worker thread only.
class GrpcDeadline {
 public:
  explicit GrpcDeadline(Exchange& x) : x_(x) {
    if (is_grpc(x)) [[unlikely]]
      read();
  }
  /// Whether there is one.
  explicit operator bool() const noexcept { return at_.has_value(); }
  /// Writes what is left into the fields for the server, and no more than the route waits. False: nothing is left.
  bool pass_on();
  /// How long the head of an answer may take: as the route says, and no longer than the caller waits.
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
