#pragma once
// Times, numbers and values as log lines write them.

#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::observe {

/// "2026-11-22T05:30:12.345678Z"; a second's text is made once on each thread.
void append_time(std::string& out, Instant at);

void append_number(std::string& out, std::uint64_t number);

/// "12.034" of 12'034.
void append_thousandths(std::string& out, std::uint64_t thousandths);

/// As it is where nothing in it could be taken for something else, else in quotes.
void append_value(std::string& out, std::string_view text);

}  // namespace headgate::observe
