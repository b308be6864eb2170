#pragma once
// How servers are looked after, in words.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// One paragraph for each upstream with health checks or bounds of its servers.
std::string care_in_words(const Config& config);

}  // namespace headgate::config
