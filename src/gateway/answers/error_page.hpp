#pragma once
// A problem as a page for people, or as plain text: in what the client's Accept takes most gladly.

#include "problem_words.hpp"

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// What the client's Accept takes most gladly: JSON unless it is one of the others; then HTML before text. Where the
/// first of its fields takes anything or is empty, no other is read.
ProblemForm preferred_form(Exchange& x);
/// The same, where the configuration allows others than JSON.
ProblemForm form_of(Exchange& x);

/// The text that the user gives for problems of this status in this form; null: there is none.
const BodyTemplate* page_of_user(const Exchange& x, unsigned status, ProblemForm form) noexcept;

/// The gateway's own body in this form, which is not JSON. A view into `x.text`.
std::string_view page_of(Exchange& x, const Problem& problem, ProblemForm form);

/// Appends Content-Type and what else the gateway's own body in this form needs.
void append_form(ProblemForm form, http::Fields& fields);

}  // namespace headgate::gateway
