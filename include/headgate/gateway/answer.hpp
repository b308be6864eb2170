#pragma once
// Every answer goes to its client from here, whoever it is from. What the gateway adds to its head is a table, in
// src/gateway/answers/answer.cpp.

#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// Whose answer it is.
enum class AnswerFrom : std::uint8_t {
  server,    ///< its final answer
  tunnel,    ///< its 101
  interim,   ///< another 1xx of it
  route,     ///< the fixed answer of a route
  gateway,   ///< problems, the answers of waiting rooms, what is left of limits, the admin interface, …
  preflight  ///< of the gateway, for a browser: it has said already which page may send what
};

/// An answer without its fields, which are x.fields.
struct AnswerStart {
  http::ReplyStart start{};
  unsigned counts_as = 0;  ///< the status for log and metrics, if it is another: gRPC has its own beside 200
  RejectionHeaders limits = RejectionHeaders::none;  ///< how the numbers of the limits are told
};

/// Completes x.fields, which has what the answer itself says, and sends head and first bytes as ReplyWriter::send()
/// does; an interim answer as interim() does. `answer` stays valid until the task is done. Worker thread only.
template <AnswerFrom from>
Task<Result<void>> send_answer(Exchange& x, AnswerStart& answer, std::string_view first, http::EndStream last);

/// The same for a whole answer that is not a server's. What has arrived of the request's body is dropped: after a small
/// one the connection can be kept. `body` stays valid until the task is done; HEAD gets only its length. If the client
/// is gone, the exchange ends as client_closed.
template <AnswerFrom from>
Task<void> send_whole(Exchange& x, AnswerStart answer, std::string_view body);

/// The current time as an IMF-fixdate, for Date. Made once a second; valid until the next call on this thread.
std::string_view date_now(const Clock& clock);

}  // namespace headgate::gateway
