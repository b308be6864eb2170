#pragma once
// Formats one size of a limit in the form in which a user writes it.

#include "headgate/limit/limit.hpp"

#include <string>

namespace headgate::simulate {

/// Returns "60/minute", "50/second, burst 100" or "2 in flight".
std::string rate_text(const limit::Rule& rule);

}  // namespace headgate::simulate
