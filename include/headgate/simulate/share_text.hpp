#pragma once
// Formats numbers, shares and times for reports. Used by cli and simulate.

#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>

namespace headgate::simulate {

/// Returns "4.1 %", with more digits below 1 %. Never shows 0 for a nonzero part, nor 100 for less than all.
std::string share_text(std::uint64_t part, std::uint64_t whole);

/// Returns "1 %" or "0.1 %" for a share from 0 to 1, as a user would write it.
std::string percent_text(double share);

/// Returns "1 204 311", with separated thousands.
std::string number_text(std::uint64_t number);

/// Returns a length of time as "24 h", "10 min" or "1.9 s", with at most two significant digits.
std::string span_text(Duration time);

/// Returns the text of moment_text(), but without the date if `from` and `until` are on one day: "05:30".
std::string minute_text(Instant moment, Instant from, Instant until);

}  // namespace headgate::simulate
