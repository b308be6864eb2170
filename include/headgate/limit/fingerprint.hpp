#pragma once
// The fingerprints of limits. Gateways that share Redis compare them to notice that they enforce different versions of
// a limit. Used by services and redis.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace headgate::limit {

/// The fingerprint of one limit. Two gateways with different fingerprints of a limit do not enforce the same limit.
struct Fingerprint {
  std::string limit;  ///< name of the limit: no space, no line feed
  std::string text;   ///< hexadecimal digits
  bool operator==(const Fingerprint&) const = default;
};

/// A limit that other gateways have in another version.
struct Disagreement {
  std::string limit;
  std::size_t gateways = 0;  ///< number of gateways with another version, at least 1
  std::string instance;      ///< one of these gateways, by its configured name
  bool operator==(const Disagreement&) const = default;
};

/// The place where gateways exchange their fingerprints. One thread.
class Fingerprints {
 public:
  static constexpr Duration kPresent = std::chrono::seconds(15);  ///< how long a report of a gateway is valid

  struct Comparison {
    std::size_t gateways = 0;  ///< number of present gateways, including this one
    std::vector<Disagreement> differ;
  };

  virtual ~Fingerprints() = default;
  /// Stores the fingerprints of this gateway for kPresent, and returns those that differ at other gateways.
  virtual Task<Result<Comparison>> tell(std::vector<Fingerprint> own, std::string instance) = 0;
  /// Removes the last report.
  virtual Task<error_code> leave() = 0;
  /// Closes the connections of this object; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
