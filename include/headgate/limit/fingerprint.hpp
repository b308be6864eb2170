#pragma once
// The fingerprints of limits, by which gateways that share Redis find out that they count one limit in two shapes.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace headgate::limit {

/// The shape of one limit. Two gateways whose fingerprints of a limit differ do not enforce the same limit.
struct Fingerprint {
  std::string limit;  ///< its name: no space, no line feed
  std::string text;   ///< hexadecimal digits
  bool operator==(const Fingerprint&) const = default;
};

/// What other gateways have in another shape.
struct Disagreement {
  std::string limit;
  std::size_t gateways = 0;  ///< how many have another shape, at least 1
  std::string instance;      ///< of one of them, as its configuration calls it
  bool operator==(const Disagreement&) const = default;
};

/// Where gateways leave their fingerprints for each other. One thread.
class Fingerprints {
 public:
  static constexpr Duration kPresent = std::chrono::seconds(15);  ///< how long what a gateway said counts

  struct Told {
    std::size_t gateways = 0;  ///< that are there, this one included
    std::vector<Disagreement> differ;
  };

  virtual ~Fingerprints() = default;
  /// Leaves those of this gateway for kPresent, and tells which of them other gateways have in another shape.
  virtual Task<Result<Told>> tell(std::vector<Fingerprint> own, std::string instance) = 0;
  /// Takes back what was told last.
  virtual Task<error_code> leave() = 0;
  /// Ends its connections; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
