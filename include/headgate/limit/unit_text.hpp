#pragma once
// The unit of a limit as programs read it. Used by gateway, services and admin.

#include "headgate/limit/limit.hpp"

#include <string_view>

namespace headgate::limit {

/// Returns "request", "token" or "money", as in the configuration.
constexpr std::string_view to_text(Unit unit) noexcept {
  return unit == Unit::token ? "token" : unit == Unit::money ? "money" : "request";
}

}  // namespace headgate::limit
