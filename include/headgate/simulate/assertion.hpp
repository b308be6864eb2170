#pragma once
// Assertions about a simulation: "rejected(limit=plan,tier=pro) < 0.1%". Used by cli for --assert.

#include "headgate/core/result.hpp"
#include "headgate/simulate/tally.hpp"
#include "headgate/simulate/text_fault.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::simulate {

struct Assertion {
  enum class What : std::uint8_t {
    /// requests that the limit rejected, as a part of those that it checked; without `limit`, all refused requests
    rejected,
    keys_rejected,  ///< keys with a rejected request, as a part of all keys
    delayed,        ///< requests that waited for their permit, as a part of those that the limit checked
    banned          ///< requests that were refused because their key was suspended
  };
  enum class Compare : std::uint8_t { less, at_most, more, at_least, equal };

  std::string text;  ///< the assertion as the user has written it
  What what = What::rejected;
  std::string limit;  ///< name of the limit; empty for all limits together
  std::string tier;
  std::string key;        ///< the key as an operator writes it
  bool has_tier = false;  ///< true if the user named a tier; the tier of a limit without tiers has an empty name
  bool has_key = false;
  Compare compare = Compare::less;
  bool share = false;  ///< true if the value is a share, false if it is a number
  double value = 0;    ///< the value to compare with; a share is between 0 and 1
};

/// Parses WHAT(limit=NAME,tier=NAME,key=KEY) COMPARED VALUE. Limit, tier and key are optional, and may be in double
/// quotes. COMPARED is one of < <= > >= ==. VALUE is a whole number, or a share such as "0.1%".
Result<Assertion, TextFault> parse_assertion(std::string_view text);

/// Checks that `compiled` has the limit and the tier of the assertion. The fault suggests the nearest name.
Result<void, TextFault> check_names(const Assertion& assertion, const gateway::CompiledConfig& compiled);

/// The result of an assertion.
struct Held {
  bool holds = false;
  std::uint64_t part = 0;
  std::uint64_t whole = 0;
};

/// Evaluates an assertion whose names were checked. A share of nothing is 0.
Held evaluate(const Assertion& assertion, const RunTally& tally, const Figures& figures);

/// Returns the actual figure: "4.1 % (8977 of 219003)".
std::string found_text(const Assertion& assertion, const Held& held);

}  // namespace headgate::simulate
