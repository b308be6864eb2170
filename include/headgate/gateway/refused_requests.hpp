#pragma once
// The last requests that a worker refused because they were malformed, too large or too slow, so that an operator sees
// what is wrong with them. Nothing is kept of any other request.

#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::gateway {

/// One of them. Its texts hold any bytes, but no secret.
struct RefusedRequest {
  Instant at{};
  std::string address;                ///< of the caller, as logged
  std::string owner;                  ///< the address, or the block of IPv6, that it counts for
  unsigned status = 0;                ///< 0: a TLS handshake failed
  std::string reason;                 ///< as in the log
  std::string method, host, path;     ///< as logged; empty as far as not known
  std::optional<std::uint64_t> byte;  ///< where the fault is, from the head's begin; not set: nowhere
  /// What stands there: before it, it and behind it. Within a secret all that is shown is "(secret)", before it.
  std::string before, wrong, after;
  std::string head;  ///< at most RefusedRequests::kHead bytes, as it came, with "(secret)" in the place of secrets
  bool cut = false;  ///< whether the head is longer
};

/// A worker writes it, any thread reads it. At most kKept requests, and at most kOfOne of one owner, so that a stranger
/// who sends nothing else pushes out his own; in a full one the owner with the most loses the oldest.
class RefusedRequests {
 public:
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kOfOne = 4;
  static constexpr std::size_t kHead = 1024;

  void note(RefusedRequest request);
  /// Whether one of this owner at `now` is worth the work of its text: not if all of his are younger than a second, as
  /// those of a stranger who sends them as fast as he can.
  bool wants(const std::string& owner, Instant now) const;
  /// The oldest first.
  std::vector<RefusedRequest> list() const;

 private:
  std::size_t count_of(std::uint64_t owner) const noexcept;
  std::size_t leaves() const noexcept;

  mutable std::mutex mutex_;
  std::vector<RefusedRequest> kept_;   // the oldest first
  std::vector<std::uint64_t> owners_;  // of each, as a digest: it is compared often
};

}  // namespace headgate::gateway
