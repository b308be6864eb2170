#pragma once
// A problem as the gateway's answer (RFC 9457). The answer says what was wrong and what to do, and reveals nothing
// about the internals.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/until_wait.hpp"
#include "headgate/upstream/failure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// The status of a request that is deliberately ended without an answer. The log, metrics and explanations show this
/// number, which nginx also uses; no client receives it.
inline constexpr unsigned kSilentStatus = 444;

/// The status of a request that a limit rejected, and the status that a limit may have instead if its budget is spent.
inline constexpr unsigned kRejectedStatus = 429;
inline constexpr unsigned kSpentStatus = 402;
/// Returns whether a limit that rejects a request answers with this status.
constexpr bool is_of_limit(unsigned status) noexcept { return status == kRejectedStatus || status == kSpentStatus; }

/// Whether a problem has a body.
enum class ProblemBody : std::uint8_t {
  always,
  of_rejection,  ///< the problem has a body, unless the body of rejections is `none`
  never
};

/// The reason why a request gets no answer from its route.
struct Problem {
  unsigned status = 500;
  EndedBy ended_by = EndedBy::bug;
  std::string_view detail{};      ///< sentence for the caller
  std::string_view limit{};       ///< the name of the limit that rejected the request, or whose key is missing
  std::uint64_t retry_after = 0;  ///< the value of Retry-After in seconds; 0 to send no Retry-After
  /// the exact wait; 0 if it is not known, or if it is the wait of the limit that rejected the request
  Duration wait{0};
  std::string_view challenge{};  ///< for 401 and 403: the value of WWW-Authenticate
  std::string_view location{};   ///< the target of a redirect; otherwise empty
  ProblemBody body = ProblemBody::always;
  /// a prepared sentence that replaces `detail` if the sentence ends with retry_after; otherwise null
  const UntilWait* until_wait = nullptr;
  bool silent = false;  ///< whether the session closes the connection, or resets the stream, without an answer
};

/// The result of a step of the path: nothing if the request goes on to the next step, or the problem that ends it.
using MaybeProblem = std::optional<Problem>;

/// Returns the problem for a failure. No other code chooses the status of a failure.
Problem problem_of(const upstream::Failure& failure);
/// Returns the failure in words for the log: what the server did, as far as it is known. The result is a view into
/// `text`, into the failure, or of static storage.
std::string_view reason_of(const upstream::Failure& failure, TextArena& text);
/// Returns the problem for a head that was refused.
Problem problem_of_head(unsigned status, std::string_view why);

/// Returns the problem for the client of a request that an operator ended; nothing if no operator ended it, or if an
/// answer has begun.
std::optional<Problem> problem_of_operator(const Exchange& x);

/// Sends the problem as the reply, unless a reply has begun or the problem is silent, and records it in `x`. `style`
/// selects the fields that tell the caller its limits.
Task<void> send_problem(Exchange& x, const Problem& problem, RejectionHeaders style);

}  // namespace headgate::gateway
