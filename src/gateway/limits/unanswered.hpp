#pragma once
// The rule for requests that end before the answer that the gateway was waiting for. Everything that is settled by an
// answer uses this rule: limits that count statuses, costs in answers, suspensions by status. (`identity.failures` is
// different: it is charged before the call, and an answer returns the charge.)

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Returns whether `x` ended while Exchange::unanswered was set, although the server or service had not failed. Its
/// client, an operator, or a deadline that its client chose has then ended it. Such a request is charged as if the
/// answer had counted. Otherwise a client could guess for free, by ending each request before a wrong guess is
/// answered.
bool avoided_answer(const Exchange& x) noexcept;

/// Returns whether a server's answer with this status only means that the client allowed too little time, or that it
/// sent its body too slowly. Such a request counts as unanswered.
bool tells_nothing(const Exchange& x, unsigned status) noexcept;

/// Returns whether the status of a server's answer, whose head has arrived, will come with the trailers (gRPC).
inline bool awaits_trailers(const Exchange& x) noexcept {
  return x.grpc_answer && x.grpc_status == observe::GrpcStatus::none;
}

/// Records that more of the body of a server's answer has arrived. From then on, a gRPC call counts as answered,
/// because a client that watches a stream leaves at some time and does not guess.
inline void note_answering(Exchange& x) noexcept {
  if (awaits_trailers(x)) [[unlikely]]
    x.unanswered = false;
}

/// Records that more of the request was sent to a server whose answer has begun. The new part may contain another
/// guess, so the request counts as unanswered again.
inline void note_asking(Exchange& x) noexcept {
  if (awaits_trailers(x)) x.unanswered = true;
}

}  // namespace headgate::gateway
