#include "error_page.hpp"

#include "page.hpp"

#include "headgate/http/accept.hpp"

#include <algorithm>
#include <string>

namespace headgate::gateway {
namespace {

/// What is the same on every page. Made at the first use.
struct ErrorPage {
  std::string style = page_style("#3457d5", "#8ea4ff");
  std::string policy = page_policy(style, "'none'");
  std::string begin = page_beginning("en", "<title>");
  std::string middle = "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<main>\n<h1>";
  std::string end = "</main>\n</body>\n</html>\n";
};

const ErrorPage& error_page() {
  static const ErrorPage page;
  return page;
}

}  // namespace

ProblemForm preferred_form(const Exchange& x) {
  const auto accept = http::value_of(x.request.fields, http::Known::accept);
  if (accept.empty() || accept == "*/*") return ProblemForm::json;
  const auto json =
      std::max(http::quality_of(accept, "application/json"), http::quality_of(accept, "application/problem+json"));
  const auto html = http::quality_of(accept, "text/html");
  const auto text = http::quality_of(accept, "text/plain");
  if (html > json && html >= text) return ProblemForm::html;
  return text > json ? ProblemForm::text : ProblemForm::json;
}

ProblemForm form_of(const Exchange& x) {
  if (x.snapshot && x.snapshot->compiled->options().error_pages == ErrorPages::json) return ProblemForm::json;
  return preferred_form(x);
}

std::string_view page_of(Exchange& x, const Problem& problem, const ProblemWords& words, ProblemForm form) {
  const auto status = x.text.number(problem.status);
  if (form == ProblemForm::text) {
    auto out = x.text.join({status, " ", words.title, "\n"});
    if (!words.detail.empty()) out = x.text.extend(out, {words.detail, "\n"});
    if (!words.when.empty()) out = x.text.extend(out, {words.when, "\n"});
    return x.request_id.empty() ? out : x.text.extend(out, {"Request ", x.request_id, "\n"});
  }
  const auto& page = error_page();
  const auto title = escaped(words.title);
  auto out = x.text.join({page.begin, status, " ", title, page.middle, status, " ", title, "</h1>\n"});
  if (!words.detail.empty()) out = x.text.extend(out, {"<p>", escaped(words.detail), "</p>\n"});
  if (!words.when.empty()) out = x.text.extend(out, {"<p>", words.when, "</p>\n"});
  if (!x.request_id.empty()) out = x.text.extend(out, {"<p class=\"keep\">Request ", escaped(x.request_id), "</p>\n"});
  return x.text.extend(out, {page.end});
}

void append_form(ProblemForm form, http::Fields& fields) {
  if (form == ProblemForm::json) {
    fields.push_back({http::Known::content_type, "Content-Type", "application/problem+json"});
    return;
  }
  const bool html = form == ProblemForm::html;
  fields.push_back(
      {http::Known::content_type, "Content-Type", html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8"});
  if (html) fields.push_back({http::Known::unknown, "Content-Security-Policy", error_page().policy});
  fields.push_back({http::Known::unknown, "X-Content-Type-Options", "nosniff"});
  fields.push_back({http::Known::vary, "Vary", "Accept"});
}

}  // namespace headgate::gateway
