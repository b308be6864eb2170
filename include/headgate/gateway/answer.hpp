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
  tunnel,    ///< the 101 of a server
  interim,   ///< another 1xx of a server
  route,     ///< the fixed answer of a route
  gateway,   ///< problems, the answers of waiting rooms, what is left of limits, the admin interface, …
  preflight  ///< an answer of the gateway to a preflight; it already says which page may send what
};

/// An answer without its fields, which are x.fields.
struct AnswerStart {
  http::ReplyStart start{};
  /// the status for log and metrics, if it differs from the one sent: gRPC has its own status beside 200
  unsigned counts_as = 0;
  RejectionHeaders limits = RejectionHeaders::none;  ///< the form of the fields that tell the numbers of the limits
};

/// Adds the gateway's fields to x.fields, which holds those of the answer, and sends the head and the first bytes as
/// ReplyWriter::send() does; an interim answer as interim() does. `answer` must stay valid until the task is done.
/// Worker thread only.
template <AnswerFrom from>
Task<Result<void>> send_answer(Exchange& x, AnswerStart& answer, std::string_view first, http::EndStream last);

/// Sends a whole answer that no server made. Discards the rest of the request's body that has arrived: after a small
/// one the connection can be kept. `body` must stay valid until the task is done; for HEAD only its length is sent. If
/// the client is gone, the exchange ends as client_closed.
template <AnswerFrom from>
Task<void> send_whole(Exchange& x, AnswerStart answer, std::string_view body);

/// Returns the current time as an IMF-fixdate, for Date. Formatted once a second; valid until the next call on this
/// thread.
std::string_view date_now(const Clock& clock);

}  // namespace headgate::gateway
