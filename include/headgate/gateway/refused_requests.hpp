#pragma once
// The last requests that a worker refused because they were malformed, too large or too slow. They are kept so that an
// operator can see what was wrong. Other requests are not kept.

#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::gateway {

/// A refused request. Its texts may contain any bytes, but no secret.
struct RefusedRequest {
  Instant at{};
  std::string address;             ///< the caller's address, as logged
  std::string owner;               ///< the address, or the IPv6 block, whose share of the list the request takes
  unsigned status = 0;             ///< status of the answer; 0 for a failed TLS handshake
  std::string reason;              ///< the reason, as in the log
  std::string method, host, path;  ///< texts as they are logged; empty if they are not known
  /// the offset of the fault from the beginning of the head; not set if the fault has no place in the head
  std::optional<std::uint64_t> byte;
  /// The text before the fault, the wrong byte, and the text after it. If the fault is inside a secret, only "(secret)"
  /// is shown, in `before`.
  std::string before, wrong, after;
  /// the beginning of the head as received, at most RefusedRequests::kHead bytes, with "(secret)" in place of secrets
  std::string head;
  bool cut = false;  ///< whether the received head was longer
};

/// The refused requests of a worker, which writes them; any thread may read them. Keeps at most kKept requests, and at
/// most kOfOne of one owner. When the list is full, the owner with the most entries loses the oldest. So a client who
/// floods the list displaces only its own requests.
class RefusedRequests {
 public:
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kOfOne = 4;
  static constexpr std::size_t kHead = 1024;

  void note(RefusedRequest request);
  /// Returns whether a request of this owner should be described at `now`. The result is false if kOfOne requests of
  /// the owner are kept and none of them is older than a second. So a client who sends as fast as possible causes
  /// little work.
  bool wants(const std::string& owner, Instant now) const;
  /// Returns the requests, the oldest first.
  std::vector<RefusedRequest> list() const;

 private:
  std::size_t count_of(std::uint64_t owner) const noexcept;
  std::size_t leaves() const noexcept;

  mutable std::mutex mutex_;
  std::vector<RefusedRequest> kept_;   // the oldest first
  std::vector<std::uint64_t> owners_;  // the owner of each request, as a digest because it is compared often
};

}  // namespace headgate::gateway
