#include "grpc_deadline.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::gateway {

void GrpcDeadline::read() {
  if (const auto timeout = grpc_timeout_of(x_)) at_ = x_.started + *timeout;
}

Duration GrpcDeadline::most() const {
  if (!at_) return x_.route->timeout;
  const auto left = std::chrono::duration_cast<Duration>(*at_ - x_.clock->steady());
  return std::clamp(left, Duration(0), x_.route->timeout);
}

bool GrpcDeadline::over() const { return at_ && x_.clock->steady() >= *at_; }

bool GrpcDeadline::pass_on() {
  if (!at_) return true;
  const auto left = most();
  if (left == Duration(0)) return false;
  for (auto& field : x_.fields)
    if (http::same_word(field.name, kGrpcTimeout)) field.value = grpc_timeout(left, text_.data());
  return true;
}

upstream::Failure GrpcDeadline::failure() noexcept {
  return {.what = upstream::Failed::deadline, .cause = boost::asio::error::timed_out};
}

}  // namespace headgate::gateway
