#pragma once
// An answer of our own, as application/problem+json (RFC 9457): what was wrong and what helps, and nothing about the
// inside.

#include "headgate/core/clock.hpp"
#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/upstream/failure.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::gateway {

struct Problem {
  unsigned status = 500;
  EndedBy ended_by = EndedBy::bug;
  std::string_view detail{};      ///< a sentence for the caller
  std::string_view limit{};       ///< of a 429: the limit's name
  std::uint64_t retry_after = 0;  ///< seconds; 0: no Retry-After
  std::string_view challenge{};   ///< of a 401: WWW-Authenticate
  RejectionBody body = RejectionBody::problem;
  /// In the place of `detail`, where retry_after belongs into the sentence: what body_until_wait() made. Else empty.
  std::string_view until_wait = {};
};

/// The body of a problem up to the time to wait, which ends its sentence. For problems that are told often, made once.
std::string body_until_wait(unsigned status, std::string_view detail);

/// The one place where a failure becomes a status.
Problem problem_of(const upstream::Failure& failure);
/// The same for the log, where the caller does not read: what the server did, as far as we know. A view into `text`, or
/// for ever good.
std::string_view reason_of(const upstream::Failure& failure, TextArena& text);
/// What a refused head is told.
Problem problem_of_head(unsigned status, std::string_view why);

/// Writes the problem as the reply, if none was begun, with the limits' numbers as `style` asks. Records it in `x`.
Task<void> send_problem(Exchange& x, const Problem& problem, RejectionHeaders style);

/// An IMF-fixdate for Date, made once a second.
std::string_view date_now(const Clock& clock);

}  // namespace headgate::gateway
