#pragma once
// What the load shedding of a configuration means, for `headgate check`.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// A paragraph for each upstream with a concurrency, and one for the lag of workers; "" without any.
std::string shedding_in_words(const Config& config);

}  // namespace headgate::config
