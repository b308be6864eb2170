#include "broken_off.hpp"

#include <boost/asio/error.hpp>

namespace headgate::gateway {

using upstream::Failed;

upstream::Failure broken_off(const error_code& cause) noexcept {
  const bool late = cause == boost::asio::error::timed_out;
  // Over TLS a close alone does not say that the answer is whole: anybody on the network path can close.
  const bool unannounced = cause == boost::asio::error::connection_aborted;
  const bool taken_down = cause == boost::asio::error::operation_aborted;  // or the client is gone: not told then
  return {.what = late ? Failed::reply_timeout : Failed::closed,
          .cause = cause,
          .why = late          ? "it was silent for too long during its answer"
                 : taken_down  ? upstream::kTakenDown
                 : unannounced ? "it closed without the close_notify of TLS, so its answer may be cut off"
                               : ""};
}

}  // namespace headgate::gateway
