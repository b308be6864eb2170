#pragma once
// The words of a problem that occurs often and whose sentence ends with a time to wait: made once, used for each.

#include <string>
#include <string_view>

namespace headgate::gateway {

/// Immutable; any thread may read it.
struct UntilWait {
  std::string sentence;  ///< "The limit of 5/minute is used up. Try again in "
  std::string json;      ///< the body of the problem to the end of that text
};

/// For a problem of this status.
UntilWait until_wait(unsigned status, std::string sentence);

}  // namespace headgate::gateway
