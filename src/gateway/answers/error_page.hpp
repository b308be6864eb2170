#pragma once
// Problems as an HTML page or as plain text, whichever the client's Accept field prefers.

#include "problem_words.hpp"

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// Returns the form that the client's Accept field prefers: JSON before HTML before text if it prefers several equally.
/// If the first Accept field is empty or accepts anything, later ones are not read.
ProblemForm preferred_form(Exchange& x);
/// Returns preferred_form() if the configuration allows other forms than JSON; otherwise JSON.
ProblemForm form_of(Exchange& x);

/// Returns the configured text for problems of this status in this form; null if there is none.
const BodyTemplate* page_of_user(const Exchange& x, unsigned status, ProblemForm form) noexcept;

/// Returns the built-in body in this form, which must not be JSON, as a view into `x.text`.
std::string_view page_of(Exchange& x, const Problem& problem, ProblemForm form);

/// Appends Content-Type and the other fields that the built-in body in this form needs.
void append_form(ProblemForm form, http::Fields& fields);

}  // namespace headgate::gateway
