#pragma once
// What a configuration says about the choice of a server, for `headgate check`.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// A paragraph for each upstream that says more than its servers; "" without any.
std::string balance_in_words(const Config& config);

}  // namespace headgate::config
