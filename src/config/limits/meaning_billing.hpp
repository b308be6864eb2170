#pragma once
// What is billed, in words.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// Empty if nothing is; else a paragraph.
std::string billing_in_words(const Config& config);

}  // namespace headgate::config
