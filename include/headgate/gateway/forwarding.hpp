#pragma once
// How requests reach their servers where that is more than one attempt with a body that streams: retries, bodies that
// are held, and mirrors. config fills the options; a compiled route has what concerns it.

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

/// Why an attempt is followed by another one. The metrics and the configuration have these words; of an answer, the
/// configuration and the log have its status.
enum class RetryReason : std::uint8_t {
  connect_error,  ///< no server could be connected to, so nothing was sent
  timeout,        ///< no head of an answer in time
  closed,         ///< the server reset or closed the connection before the head of an answer
  status,         ///< the status of the answer
  count
};
inline constexpr WordsOf<RetryReason> kRetryReasons({"connect_error", "timeout", "closed", "status"});

/// Shares are in parts of this.
inline constexpr std::uint32_t kWholeShare = 1'000'000;

/// When a request is sent again, to another server if there is one. What is sent again although it may have reached a
/// server has an idempotent method and a body that is held as a whole.
struct Retry {
  unsigned attempts = 2;  ///< most attempts for a request, the first included; at least 2
  bool on_connect_error = true;
  bool on_timeout = false;
  bool on_closed = true;
  std::vector<unsigned> statuses{502, 503};  ///< in ascending order
  /// Of gRPC: the bit of each (1 << its number). An answer without messages and with such a status is followed by
  /// another attempt whatever the call does: naming it says that this does no harm.
  std::uint32_t grpc_statuses = 0;
  std::uint32_t budget = kWholeShare / 5;  ///< retries for each first attempt; see upstream/retry_budget
  /// The longest wait for the head of an answer if another attempt may follow; not set: the timeout of the route.
  std::optional<Duration> timeout_each;
};

/// Copies of the requests of a route go to another upstream, whose answers nobody sees.
struct Mirror {
  std::string to;                              ///< name of the upstream
  std::uint32_t share = kWholeShare;           ///< how many requests are copied
  Duration timeout = std::chrono::seconds(5);  ///< from its begin to the end of its answer
  std::uint32_t in_flight = 32;                ///< most copies of a worker under way; more are dropped
  std::uint64_t max_body = 64UL * 1024;        ///< a request with a larger body is not copied; in bytes
};

/// The field of a copied request that tells it from one that a client waits for.
inline constexpr std::string_view kMirrorField = "Headgate-Mirror";

/// What a compiled route has of this. Immutable; shared by all workers.
struct Forwarding {
  const Retry* retry = nullptr;     ///< of its upstream; null: nothing but what was not sent is tried again
  std::uint64_t held_body = 0;      ///< how many bytes of a body are held before a server is chosen; 0: none
  std::optional<Mirror> mirror;     ///< not set: none
  std::size_t mirror_upstream = 0;  ///< the index of its upstream
};

}  // namespace headgate::gateway
