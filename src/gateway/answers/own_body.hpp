#pragma once
// Problem bodies that the configuration chooses: the error formats of other services, and configured texts.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <string_view>

namespace headgate::gateway {

/// Returns the body that the route of this exchange configures; the global one if the route configures none.
const OwnBody& body_chosen_for(const Exchange& x) noexcept;

/// Returns whether `chosen` replaces the usual bodies.
inline bool is_own(const OwnBody& chosen) noexcept {
  return chosen.text || chosen.form == OwnBody::Form::openai || chosen.form == OwnBody::Form::anthropic;
}

/// Returns the body as a view into x.text, and appends the fields that it needs to x.fields.
std::string_view append_own_body(Exchange& x, const Problem& problem, const OwnBody& chosen);
/// Does the same as append_own_body() for a configured text.
std::string_view append_text_of_user(Exchange& x, const Problem& problem, const BodyTemplate& page);

}  // namespace headgate::gateway
