#pragma once
// The rule for requests that end before the answer that the gateway was waiting for. Everything that an answer settles
// uses it: limits that count statuses, costs in answers, suspensions by status. (`identity.failures` is charged before
// any question, and an answer returns the charge.)

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Returns whether `x` ended while Exchange::unanswered for a reason other than a failure of the server or service: its
/// client ended it, or an operator did, or a deadline that its client chose. Such a request pays as if the answer had
/// counted. Otherwise a guesser would end each request before a wrong guess is answered, and pay for none.
bool avoided_answer(const Exchange& x) noexcept;

/// Returns whether an answer of a server with this status says only that the client allowed too little time, or was too
/// slow with its body: the request then counts as unanswered.
bool tells_nothing(const Exchange& x, unsigned status) noexcept;

/// Returns whether the status of a server's answer that has begun will come with the trailers (gRPC).
inline bool awaits_trailers(const Exchange& x) noexcept {
  return x.grpc_answer && x.grpc_status == observe::GrpcStatus::none;
}

/// Notes that more of the body of a server's answer has arrived. A gRPC call counts as answered so far: a client that
/// watches a stream leaves at some time, and does not guess.
inline void note_answering(Exchange& x) noexcept {
  if (awaits_trailers(x)) [[unlikely]]
    x.unanswered = false;
}

/// Notes that more of the request was sent to a server whose answer has begun: it may contain a guess.
inline void note_asking(Exchange& x) noexcept {
  if (awaits_trailers(x)) x.unanswered = true;
}

}  // namespace headgate::gateway
