#pragma once
// The intervals at which sources are read. They have a header of their own, because tests shorten them.

#include "headgate/core/time.hpp"

namespace headgate::keyring {

/// The intervals and pauses. Only tests change the defaults.
struct RefreshPolicy {
  Duration look = std::chrono::seconds(1);           ///< Time between two checks of the files.
  Duration first_retry = std::chrono::seconds(1);    ///< Pause after a failed fetch; doubles with each further failure.
  Duration longest_retry = std::chrono::minutes(1);  ///< Maximum pause after failures.
  Duration shortest_life = std::chrono::minutes(1);  ///< Minimum lifetime that Cache-Control can set.
  Duration longest_life = std::chrono::hours(24);    ///< Maximum lifetime that Cache-Control can set.
};

}  // namespace headgate::keyring
