#pragma once
// Options of forwarding: retries, held bodies and mirrors. Without them, the gateway makes one attempt and streams the
// body. config fills the options; a compiled route has a Forwarding.

#include "headgate/core/per_enum.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// The reason for a further attempt. The metrics and the configuration use the same words. In place of `status`, the
/// configuration and the log have the number of the status.
enum class RetryReason : std::uint8_t {
  connect_error,  ///< no server could be connected to, so nothing was sent
  timeout,        ///< no head of an answer arrived in time
  closed,         ///< the server reset or closed the connection before the head of an answer
  status,         ///< the answer has a status for which the configuration wants a further attempt
  count
};
inline constexpr WordsOf<RetryReason> kRetryReasons({"connect_error", "timeout", "closed", "status"});

/// The share that means "all". A share is stored as a number of millionths.
inline constexpr std::uint32_t kWholeShare = 1'000'000;

/// When a request is sent again, to another server if there is one. A request that may have reached a server is
/// repeated only if its method is idempotent and its whole body is held.
struct Retry {
  unsigned attempts = 2;  ///< largest number of attempts for a request, including the first; at least 2
  bool on_connect_error = true;
  bool on_timeout = false;
  bool on_closed = true;
  std::vector<unsigned> statuses{502, 503};  ///< statuses after which another attempt is made, in ascending order
  /// Statuses of gRPC, one bit each (1 << number). An answer without messages and with one of these statuses is
  /// followed by another attempt, whatever the method is: a user who lists a status thereby says that a repetition does
  /// no harm.
  std::uint32_t grpc_statuses = 0;
  std::uint32_t budget = kWholeShare / 5;  ///< number of retries per first attempt; see upstream/retry_budget
  /// The longest wait for the head of an answer if another attempt may follow; if not set, the timeout of the route.
  std::optional<Duration> timeout_each;
};

/// Copies of a route's requests that go to another upstream, whose answers are discarded.
struct Mirror {
  std::string to;                              ///< name of the upstream
  std::uint32_t share = kWholeShare;           ///< share of the requests that are copied
  Duration timeout = std::chrono::seconds(5);  ///< time limit from the start of the copy to the end of its answer
  std::uint32_t in_flight = 32;  ///< largest number of copies that a worker has under way; further ones are dropped
  std::uint64_t max_body = 64UL * 1024;  ///< requests with a larger body, in bytes, are not copied
};

/// The header field that marks a copied request, for which no client waits.
inline constexpr std::string_view kMirrorField = "Headgate-Mirror";

/// The forwarding of one compiled route. Immutable; shared by all workers.
struct Forwarding {
  const Retry* retry = nullptr;     ///< the retries of the upstream; null to repeat only requests that were not sent
  std::uint64_t held_body = 0;      ///< bytes of a body that are held before a server is chosen; 0 to hold none
  std::optional<Mirror> mirror;     ///< the mirror; not set if requests are not copied
  std::size_t mirror_upstream = 0;  ///< the index of the mirror's upstream
};

}  // namespace headgate::gateway
