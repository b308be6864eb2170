#pragma once
// The keys of the configuration whose texts are secret. Code that shows a part of a configuration must mask the values
// of these keys.

#include <array>
#include <string_view>

namespace headgate::config {

inline constexpr std::array<std::string_view, 6> kSecretKeys = {"token",  "read_token",      "password",
                                                                "secret", "previous_secret", "ticket_secret"};

}  // namespace headgate::config
