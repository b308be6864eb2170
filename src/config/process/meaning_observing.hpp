#pragma once
// Traces, and what the access log leaves out, in the words of `headgate check`.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// A sentence for each of both that is configured; "" if none is.
std::string observing_in_words(const Config& config);

}  // namespace headgate::config
