#pragma once
// Decides whether a request is sent again, and after which pause. Reads no clock and draws no random number.

#include "headgate/core/result.hpp"
#include "headgate/gateway/forwarding.hpp"
#include "headgate/observe/grpc_status.hpp"
#include "headgate/upstream/failure.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The upper end of the pause before the first retry; each further one is twice as long.
inline constexpr Duration kFirstBackOff = std::chrono::milliseconds(25);
/// The upper end of the longest pause.
inline constexpr Duration kLongestBackOff = std::chrono::milliseconds(250);

/// Whether a request with this method may be sent twice (RFC 9110 section 9.2.2).
bool is_idempotent(std::string_view method) noexcept;

/// What is known of a request when an attempt has failed.
struct Attempted {
  unsigned attempts = 1;      ///< how many there were
  bool idempotent = false;    ///< whether its method is
  bool held = false;          ///< whether the whole body can be sent again
  bool answer_began = false;  ///< whether the client has received anything of an answer
  Duration left{0};           ///< until the timeout of the route is over
};

/// Why this failure is followed by another attempt; nothing if it is not named, or another attempt could do harm.
std::optional<RetryReason> reason_to_retry(const Retry& retry, upstream::Failed failed, const Attempted& so_far);
/// The same for an answer with this status.
std::optional<RetryReason> reason_to_retry(const Retry& retry, unsigned status, const Attempted& so_far);
/// The same for an answer of gRPC without messages.
std::optional<RetryReason> reason_to_retry(const Retry& retry, observe::GrpcStatus status, const Attempted& so_far);

/// The pause before the next attempt: any time up to a bound that doubles with each attempt (full jitter), so that
/// requests which failed together do not come back together; never shorter than what the server `asked` for. `dice` is
/// from 0 to below 1. Nothing if it is not shorter than what is left: then the attempt would come too late.
std::optional<Duration> back_off(const Attempted& so_far, double dice, std::optional<Duration> asked);

/// The failure of a server whose answer breaks off after its head; reading its body failed with `cause`.
upstream::Failure broken_off(const error_code& cause) noexcept;

}  // namespace headgate::gateway
