#pragma once
// A problem as the gateway's answer (RFC 9457). It says what was wrong and what helps, and nothing about the inside.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/until_wait.hpp"
#include "headgate/upstream/failure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// The status of a request that is ended on purpose without an answer, in the log, in metrics and where a request is
/// explained; as nginx has it. Nobody gets it.
inline constexpr unsigned kSilentStatus = 444;

/// Whether a problem has a body.
enum class ProblemBody : std::uint8_t {
  always,
  of_rejection,  ///< unless the body of rejections is `none`
  never
};

/// Why a request gets no answer from its route.
struct Problem {
  unsigned status = 500;
  EndedBy ended_by = EndedBy::bug;
  std::string_view detail{};      ///< a sentence for the caller
  std::string_view limit{};       ///< the name of the limit that rejected the request, or whose key is missing
  std::uint64_t retry_after = 0;  ///< in seconds; 0: no Retry-After
  Duration wait{0};               ///< the same exactly; 0: not known, or that of the limit that rejected the request
  std::string_view challenge{};   ///< for 401 and 403: the value of WWW-Authenticate
  std::string_view location{};    ///< of a redirect; else empty
  ProblemBody body = ProblemBody::always;
  const UntilWait* until_wait = nullptr;  ///< used instead of `detail` if its sentence ends with retry_after; else null
  bool silent = false;                    ///< nobody is told: the session closes the connection, or resets the stream
};

/// What a step of the path says: nothing, then the request goes on to the next one; or the problem that ends it.
using MaybeProblem = std::optional<Problem>;

/// Turns a failure into a problem. No other code chooses the status of a failure.
Problem problem_of(const upstream::Failure& failure);
/// The failure in words for the log: what the server did, as far as known. A view into `text`, into the failure, or of
/// static storage.
std::string_view reason_of(const upstream::Failure& failure, TextArena& text);
/// The problem for a head that was refused.
Problem problem_of_head(unsigned status, std::string_view why);

/// What the client gets whose request an operator ended; nothing if nobody did, or if an answer was begun.
std::optional<Problem> problem_of_operator(const Exchange& x);

/// Writes the problem as the reply, unless one was begun or it is silent. `style` says which fields with the numbers of
/// limits it has. Records the problem in `x`.
Task<void> send_problem(Exchange& x, const Problem& problem, RejectionHeaders style);

}  // namespace headgate::gateway
