#include "body_problem.hpp"

#include "headgate/net/pace.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

namespace headgate::gateway {

void note_slow(Exchange& x, const error_code& cause) noexcept {
  if (cause == net::too_slow()) x.reason = "the client was slower than min_rate";
}

Problem problem_of_body(const error_code& cause) {
  if (cause == boost::asio::error::timed_out) {
    return {.status = 408, .ended_by = EndedBy::timeout_client, .detail = "The request's body did not arrive in time."};
  }
  if (cause == net::too_slow()) {
    return {.status = 408, .ended_by = EndedBy::timeout_client, .detail = "The request's body arrived too slowly."};
  }
  if (cause == boost::system::errc::message_size) {
    return {.status = 413, .ended_by = EndedBy::too_large, .detail = "The request's body is too large."};
  }
  if (cause == boost::system::errc::bad_message) {
    return {
        .status = 400, .ended_by = EndedBy::bad_request, .detail = "The framing of the request's body is malformed."};
  }
  return {.status = 400, .ended_by = EndedBy::client_closed, .detail = "The request's body ended too early."};
}

}  // namespace headgate::gateway
