#pragma once
// Sends every answer to its client, whether a server or the gateway made it. src/gateway/answers/answer.cpp has the
// table of the fields that the gateway adds.

#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// The origin of an answer.
enum class AnswerFrom : std::uint8_t {
  server,    ///< the final answer of a server
  tunnel,    ///< a server's answer with status 101
  interim,   ///< a server's answer with another 1xx status
  route,     ///< the fixed answer of a route
  gateway,   ///< any other answer of the gateway, such as a problem, a waiting room's page or the admin interface
  preflight  ///< an answer of the gateway to a preflight; it already has its CORS fields
};

/// An answer without its fields, which are x.fields.
struct AnswerStart {
  http::ReplyStart start{};
  /// the status for log and metrics, if it differs from the HTTP status: an error of gRPC is sent with HTTP status 200
  unsigned counts_as = 0;
  RejectionHeaders limits = RejectionHeaders::none;  ///< the fields that tell the caller its limits
};

/// Adds the gateway's fields to x.fields, which already has the fields of the answer. Then sends the head and the first
/// bytes with ReplyWriter::send(); for an interim answer, sends the head with interim(). `answer` must stay valid until
/// the task is done. Worker thread only.
template <AnswerFrom from>
Task<Result<void>> send_answer(Exchange& x, AnswerStart& answer, std::string_view first, http::EndStream last);

/// Sends a whole answer that no server made. First discards the bytes of the request's body that have arrived, so that
/// the connection can be kept after a small body. `body` must stay valid until the task is done; for HEAD only its
/// length is sent. If the client is gone, the exchange ends as client_closed.
template <AnswerFrom from>
Task<void> send_whole(Exchange& x, AnswerStart answer, std::string_view body);

/// Returns the current time as an IMF-fixdate, for Date. Formatted once a second; valid until the next call on this
/// thread.
std::string_view date_now(const Clock& clock);

}  // namespace headgate::gateway
