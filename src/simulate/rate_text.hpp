#pragma once
// One size of a limit as a user writes it.

#include "headgate/limit/limit.hpp"

#include <string>

namespace headgate::simulate {

/// "60/minute", "50/second, burst 100", "2 in flight".
std::string rate_text(const limit::Rule& rule);

}  // namespace headgate::simulate
