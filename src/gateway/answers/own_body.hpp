#pragma once
// Bodies of problems that the configuration chooses: the forms that clients of others parse, and texts of the user.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <string_view>

namespace headgate::gateway {

/// The body of problems of this exchange, as its route says, or the configuration for all.
const OwnBody& body_chosen_for(const Exchange& x) noexcept;

/// Whether it stands in the place of the usual bodies.
inline bool is_own(const OwnBody& chosen) noexcept {
  return chosen.text || chosen.form == OwnBody::Form::openai || chosen.form == OwnBody::Form::anthropic;
}

/// The body, and appends what fields it needs to x.fields. A view into x.text.
std::string_view append_own_body(Exchange& x, const Problem& problem, const OwnBody& chosen);
/// The same of a text of the user.
std::string_view append_text_of_user(Exchange& x, const Problem& problem, const BodyTemplate& page);

}  // namespace headgate::gateway
