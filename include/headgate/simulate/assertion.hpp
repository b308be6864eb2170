#pragma once
// What must hold of a simulation: "rejected(limit=plan,tier=pro) < 0.1%".

#include "headgate/core/result.hpp"
#include "headgate/simulate/tally.hpp"
#include "headgate/simulate/text_fault.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::simulate {

struct Assertion {
  enum class What : std::uint8_t {
    rejected,       ///< requests, of those that the limit was asked about; without `limit` all that were refused
    keys_rejected,  ///< keys with a rejected request, of all keys
    delayed,        ///< requests that waited for their permit, of those that the limit was asked about
    banned          ///< requests that were refused because their key was suspended
  };
  enum class Compare : std::uint8_t { less, at_most, more, at_least, equal };

  std::string text;  ///< as it was written
  What what = What::rejected;
  std::string limit;  ///< empty: all together
  std::string tier;
  std::string key;        ///< as an operator writes it
  bool has_tier = false;  ///< the only tier of a limit without tiers has no name
  bool has_key = false;
  Compare compare = Compare::less;
  bool share = false;  ///< compared is a share; else a number
  double value = 0;    ///< a share is from 0 to 1
};

/// WHAT(limit=NAME,tier=NAME,key=KEY) COMPARED VALUE: each of the three may be missing, and may stand in double quotes;
/// compared is one of < <= > >= ==; the value is a whole number, or a share as "0.1%".
Result<Assertion, TextFault> parse_assertion(std::string_view text);

/// Returns whether `compiled` has the limit and the tier that it names. The fault says what is nearest.
Result<void, TextFault> check_names(const Assertion& assertion, const gateway::CompiledConfig& compiled);

/// What came of it.
struct Held {
  bool holds = false;
  std::uint64_t part = 0;
  std::uint64_t whole = 0;
};

/// The names must have been checked. Of nothing every share is 0.
Held evaluate(const Assertion& assertion, const RunTally& tally, const Figures& figures);

/// "4.1 % (8977 of 219003)": what there was in its place.
std::string found_text(const Assertion& assertion, const Held& held);

}  // namespace headgate::simulate
