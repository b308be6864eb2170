#pragma once
// The URL of a JWK Set. Used by config to check what was written.

#include "headgate/net/url.hpp"

namespace headgate::keyring {

using net::Scheme;
using net::Url;

/// Does the same as net::parse_url().
inline Result<Url, std::string> parse_url(std::string_view text) {
  return net::parse_url(text, "https://login.example.com/keys");
}

}  // namespace headgate::keyring
