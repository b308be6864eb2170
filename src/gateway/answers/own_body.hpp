#pragma once
// Bodies of problems that the configuration chooses: the forms that clients of others parse, and texts of the user.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <string_view>

namespace headgate::gateway {

/// What problems of this exchange's route have in place of the usual bodies; null: the usual ones, or none.
const OwnBody* own_body_of(const Exchange& x) noexcept;

/// Whether a problem has one of the usual bodies, where own_body_of() says nothing.
bool has_body(const Exchange& x, const Problem& problem) noexcept;

/// The body, and appends what fields it needs to x.fields. A view into x.text.
std::string_view append_own_body(Exchange& x, const Problem& problem, const OwnBody& chosen);
/// The same of a text of the user.
std::string_view append_text_of_user(Exchange& x, const Problem& problem, const BodyTemplate& page);

}  // namespace headgate::gateway
