#pragma once
// Checks whether a file of certificate authorities is usable. `check` calls it before anything is fetched.

#include "headgate/net/tls/trust.hpp"

namespace headgate::keyring {

using net::check_authorities;

}  // namespace headgate::keyring
