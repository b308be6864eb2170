#pragma once
// Decides whether a request is repeated, and after which pause. Reads no clock and draws no random number.

#include "headgate/core/result.hpp"
#include "headgate/gateway/forwarding.hpp"
#include "headgate/observe/grpc_status.hpp"
#include "headgate/upstream/failure.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The upper bound of the pause before the first retry; the bound doubles with each further retry.
inline constexpr Duration kFirstBackOff = std::chrono::milliseconds(25);
/// The largest upper bound of a pause.
inline constexpr Duration kLongestBackOff = std::chrono::milliseconds(250);

/// Returns whether a request with this method may be sent twice (RFC 9110 section 9.2.2).
bool is_idempotent(std::string_view method) noexcept;

/// The state of a request when an attempt has failed.
struct Attempted {
  unsigned attempts = 1;      ///< number of attempts so far
  bool idempotent = false;    ///< whether the method is idempotent
  bool held = false;          ///< whether the whole body can be sent again
  bool answer_began = false;  ///< whether the client has received anything of an answer
  Duration left{0};           ///< time until the route's timeout
};

/// Returns the reason for another attempt after this failure. Returns nothing if the configuration does not name the
/// failure, or if another attempt could do harm.
std::optional<RetryReason> reason_to_retry(const Retry& retry, upstream::Failed failed, const Attempted& so_far);
/// Returns the same for an answer with this status.
std::optional<RetryReason> reason_to_retry(const Retry& retry, unsigned status, const Attempted& so_far);
/// Returns the same for a gRPC answer without messages.
std::optional<RetryReason> reason_to_retry(const Retry& retry, observe::GrpcStatus status, const Attempted& so_far);

/// Returns the pause before the next attempt: a random time up to a bound that doubles with each attempt (full jitter),
/// so that requests that failed together do not return together. It is never shorter than the time that the server
/// `asked` for. `dice` is from 0 to below 1. Returns nothing if the pause is not shorter than the time left, because
/// the attempt would come too late.
std::optional<Duration> back_off(const Attempted& so_far, double dice, std::optional<Duration> asked);

/// Returns the failure of a server whose answer broke off after its head, because the read of the body failed with
/// `cause`.
upstream::Failure broken_off(const error_code& cause) noexcept;

}  // namespace headgate::gateway
