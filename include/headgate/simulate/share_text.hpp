#pragma once
// Numbers, shares and times as reports show them.

#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>

namespace headgate::simulate {

/// "4.1 %"; with more digits below 1 %: never 0 of something, nor 100 of less than all.
std::string share_text(std::uint64_t part, std::uint64_t whole);

/// "1 %", "0.1 %": a share from 0 to 1, as a user has written it.
std::string percent_text(double share);

/// "1 204 311": thousands apart.
std::string number_text(std::uint64_t number);

/// "24 h", "10 min", "1.9 s": a length of time, with at most two digits that differ.
std::string span_text(Duration time);

/// As moment_text, without its date if all between `from` and `until` is on one day: "05:30".
std::string minute_text(Instant moment, Instant from, Instant until);

}  // namespace headgate::simulate
