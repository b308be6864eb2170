#pragma once
// Retries and mirrors in words.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// A paragraph for each upstream with retries and for each route with a mirror or held bodies; empty if there is none.
std::string delivery_in_words(const Config& config);

}  // namespace headgate::config
