#pragma once
// Keys of other gateways. A user who writes one of them is shown the key of headgate.

#include "config/text/document.hpp"
#include "table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::config {

struct OtherWord {
  std::string_view key;  ///< the headgate key; "" if this section has none
  std::string help;      ///< what to write instead, with the value that the user wrote
};

/// Returns the headgate key for `member` of `section` if nginx, Kong, Spring Cloud Gateway, Envoy, Traefik or APISIX
/// have a key of that name; otherwise empty.
std::optional<OtherWord> other_word(const Node& member, const Section& section);

}  // namespace headgate::config
