#include "check_body.hpp"

#include "headgate/gateway/gateway.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

namespace headgate::gateway {

Gateway::Step Gateway::check_body(const Exchange& x) const {
  if (x.body->take_at_most(x.route->max_body)) return {};
  return problem_of_body(boost::system::errc::make_error_code(boost::system::errc::message_size));
}

Problem problem_of_body(const error_code& cause) {
  if (cause == boost::asio::error::timed_out) {
    return {408, EndedBy::timeout_client, "The request's body did not arrive in time.", {}, 0, {}};
  }
  if (cause == boost::system::errc::message_size) {
    return {413, EndedBy::too_large, "The request's body is larger than is accepted here.", {}, 0, {}};
  }
  if (cause == boost::system::errc::bad_message) {
    return {400, EndedBy::bad_request, "The request's body is not framed as HTTP has it.", {}, 0, {}};
  }
  return {400, EndedBy::client_closed, "The request's body ended too soon.", {}, 0, {}};
}

}  // namespace headgate::gateway
