#pragma once
// The waiting rooms of a valid configuration in words.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// One line for each room; "" if there is none.
std::string rooms_in_words(const Config& config);

}  // namespace headgate::config
