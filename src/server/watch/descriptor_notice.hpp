#pragma once
// Says where the limit of open files is too low for the configuration.

#include "headgate/config/config.hpp"

namespace headgate::server {

/// An event if so many connections as `bounds.connections` do not fit the descriptors that clients may have.
void warn_of_few_descriptors(const config::Config& config);

}  // namespace headgate::server
