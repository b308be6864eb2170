#pragma once
// Keys as other gateways call them: whoever moves in is told what they are called here.

#include "document.hpp"
#include "table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::config {

struct OtherWord {
  std::string_view key;  ///< what it is called here; "" where it has no counterpart in this section
  std::string help;      ///< what to write, with the value that stands there
};

/// What `member` of `section` means where nginx, Kong, Spring Cloud Gateway, Envoy or APISIX call a key so; nothing
/// where none does.
std::optional<OtherWord> other_word(const Node& member, const Section& section);

}  // namespace headgate::config
