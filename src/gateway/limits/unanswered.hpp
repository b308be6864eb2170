#pragma once
// The rule for requests that end before the answer that somebody was asked for. Whatever an answer settles asks here:
// limits that count statuses, costs that the answer says, suspensions by status. (What `identity.failures` counts is
// charged before anybody is asked, and given back by an answer.)

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Whether `x` ended while Exchange::unanswered, and not because whoever was asked has failed: its client ended it, or
/// an operator did, or a deadline that its client chose. Then it pays as if the answer had counted. Otherwise a guesser
/// would end each request in this way before a wrong guess is answered, and pay for none.
bool avoided_answer(const Exchange& x) noexcept;

/// Whether an answer of a server with this status says no more than that its client has given the request too little
/// time, or was too slow with its body: it leaves the request unanswered.
bool tells_nothing(const Exchange& x, unsigned status) noexcept;

/// Whether the status of a server's answer that has begun is still to come: with the trailers of gRPC.
inline bool awaits_trailers(const Exchange& x) noexcept {
  return x.grpc_answer && x.grpc_status == observe::GrpcStatus::none;
}

/// Notes that more of the body of a server's answer has come. A call of gRPC is answered so far: whoever watches
/// something leaves at some time, and does not guess.
inline void note_answering(Exchange& x) noexcept {
  if (awaits_trailers(x)) [[unlikely]]
    x.unanswered = false;
}

/// Notes that a server whose answer has begun is sent more of the request: a guess may be in it.
inline void note_asking(Exchange& x) noexcept {
  if (awaits_trailers(x)) x.unanswered = true;
}

}  // namespace headgate::gateway
