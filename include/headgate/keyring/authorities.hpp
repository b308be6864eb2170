#pragma once
// Checks whether a file of certificate authorities is usable. `headgate check` does so before anything is fetched.

#include "headgate/net/tls/trust.hpp"

namespace headgate::keyring {

using net::check_authorities;

}  // namespace headgate::keyring
