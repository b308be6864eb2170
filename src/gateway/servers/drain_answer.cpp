#include "drain_answer.hpp"

#include "gateway/bodies/body_values.hpp"

#include "headgate/gateway/active_exchange.hpp"

#include <chrono>

namespace headgate::gateway {
namespace {

/// The longest time for which an answer is read: the longest calls of language models take some minutes.
constexpr auto kLongestDrain = std::chrono::minutes(10);

}  // namespace

Task<void> drain_answer(Exchange& x, http::BodyReader& from) {
  if (!take_drain_place(x)) co_return;
  const auto until = x.clock->steady() + kLongestDrain;
  while (!from.ended() && x.clock->steady() < until) {
    const auto bytes = co_await from.read();
    if (bytes.has_error()) break;
  }
  if (from.ended()) x.bodies->drained();
}

}  // namespace headgate::gateway
