#pragma once
// The URL of a JWK Set. Used by config to check what was written.

#include "headgate/net/url.hpp"

namespace headgate::keyring {

using net::Scheme;
using net::Url;

/// Parses a URL like net::parse_url(), with the URL of a JWK Set as the example in errors.
inline Result<Url, std::string> parse_url(std::string_view text) {
  return net::parse_url(text, "https://login.example.com/keys");
}

}  // namespace headgate::keyring
