#pragma once
// How often things are looked at. Its own header, for what tests make short.

#include "headgate/core/time.hpp"

namespace headgate::keyring {

/// The defaults are for everybody but tests.
struct Pace {
  Duration look = std::chrono::seconds(1);           ///< between two looks at the files
  Duration first_retry = std::chrono::seconds(1);    ///< after a failed fetch; then twice as long each time
  Duration longest_retry = std::chrono::minutes(1);  ///< but no longer than this
  Duration shortest_life = std::chrono::minutes(1);  ///< what a Cache-Control below this counts as
  Duration longest_life = std::chrono::hours(24);    ///< and above this
};

}  // namespace headgate::keyring
