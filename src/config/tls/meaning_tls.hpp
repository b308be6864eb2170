#pragma once
// TLS of the listeners, in the words of `headgate check`.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// A sentence for each listener with TLS; "" if none has it. Reads the certificates again.
std::string tls_in_words(const Config& config);

}  // namespace headgate::config
