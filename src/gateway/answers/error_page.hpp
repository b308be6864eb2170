#pragma once
// A problem as a page for people, or as plain text: in what the client's Accept takes most gladly.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <string_view>

namespace headgate::gateway {

enum class ProblemForm { json, html, text };

/// What the client's Accept takes most gladly: JSON unless it is one of the others; then HTML before text.
ProblemForm preferred_form(const Exchange& x);
/// The same, where the configuration allows others than JSON.
ProblemForm form_of(const Exchange& x);

/// The problem in words: its sentence, and when to try again where the sentence does not say it.
struct ProblemWords {
  std::string_view title;
  std::string_view detail;
  std::string_view when;  ///< "Try again in 5 seconds.", or empty
};

/// The body in this form, which is not JSON. A view into `x.text`.
std::string_view page_of(Exchange& x, const Problem& problem, const ProblemWords& words, ProblemForm form);

/// Appends Content-Type and what else a body in this form needs.
void append_form(ProblemForm form, http::Fields& fields);

}  // namespace headgate::gateway
