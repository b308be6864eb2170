#pragma once
// Fills texts of the user: a body of the gateway's own answers with variables.

#include "headgate/gateway/own_answers.hpp"

#include <array>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// What each variable says, by BodyVariable.
using BodyValues = std::array<std::string_view, kBodyVariables.size()>;

/// The text with the values in it, escaped for its type.
std::string filled(const BodyTemplate& page, const BodyValues& values);

}  // namespace headgate::gateway
