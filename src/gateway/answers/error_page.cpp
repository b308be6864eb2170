#include "error_page.hpp"

#include "page.hpp"

#include "headgate/core/markup.hpp"
#include "headgate/http/accept.hpp"

#include <algorithm>
#include <string>

namespace headgate::gateway {
namespace {

/// The parts that are the same on every page. They are created when the first page is sent.
struct BuiltIn {
  std::string style = page_style("#3457d5", "#8ea4ff");
  std::string policy = page_policy(style, "'none'");
  std::string begin = page_beginning("en", "<title>");
  std::string middle = "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<main class=\"problem\">\n<h1>";
  std::string end = "</main>\n</body>\n</html>\n";
};

const BuiltIn& built_in() {
  static const BuiltIn page;
  return page;
}

}  // namespace

ProblemForm preferred_form(Exchange& x) {
  auto accept = http::value_of(x.request.fields, http::Known::accept);
  // Nearly all programs send no Accept field or "*/*".
  if (accept.empty() || accept == "*/*") return ProblemForm::json;
  accept = http::accepted(x.request.fields, http::Known::accept, x.text);
  const auto json =
      std::max(http::quality_of(accept, "application/json"), http::quality_of(accept, "application/problem+json"));
  const auto html = http::quality_of(accept, "text/html");
  const auto text = http::quality_of(accept, "text/plain");
  if (html > json && html >= text) return ProblemForm::html;
  return text > json ? ProblemForm::text : ProblemForm::json;
}

ProblemForm form_of(Exchange& x) {
  if (x.snapshot && x.snapshot->compiled->options().error_pages == ErrorPages::json) return ProblemForm::json;
  return preferred_form(x);
}

const BodyTemplate* page_of_user(const Exchange& x, unsigned status, ProblemForm form) noexcept {
  if (!x.snapshot) return nullptr;
  const auto& pages = x.snapshot->compiled->options().pages;
  const auto found = std::ranges::find_if(
      pages, [&](const ErrorPage& each) { return each.form == form && each.first <= status && status <= each.last; });
  return found == pages.end() ? nullptr : found->text.get();
}

std::string_view page_of(Exchange& x, const Problem& problem, ProblemForm form) {
  const auto words = form == ProblemForm::html ? visitor_words_of(x.text, problem) : words_of(x.text, problem);
  const auto status = x.text.number(problem.status);
  if (form == ProblemForm::text) {
    auto out = x.text.join({status, " ", words.title, "\n"});
    if (!words.detail.empty()) out = x.text.extend(out, {words.detail, "\n"});
    if (!words.when.empty()) out = x.text.extend(out, {words.when, "\n"});
    return x.request_id.empty() ? out : x.text.extend(out, {"Request ", x.request_id, "\n"});
  }
  const auto& page = built_in();
  const auto title = markup(words.title);
  auto out = x.text.join({page.begin, status, " ", title, page.middle, status, " ", title, "</h1>\n"});
  if (!words.detail.empty()) out = x.text.extend(out, {"<p>", markup(words.detail), "</p>\n"});
  if (!words.when.empty()) out = x.text.extend(out, {"<p>", words.when, "</p>\n"});
  const std::string_view home = x.snapshot ? std::string_view(x.snapshot->compiled->options().home) : "";
  // A link to the home page is useless on the home page.
  if (!home.empty() && home != x.request.path)
    out = x.text.extend(out, {"<p><a href=\"", markup(home), "\">To the home page</a></p>\n"});
  if (!x.request_id.empty()) out = x.text.extend(out, {"<p class=\"keep\">Request ", markup(x.request_id), "</p>\n"});
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
  if (html) fields.push_back({http::Known::unknown, "Content-Security-Policy", built_in().policy});
  fields.push_back({http::Known::unknown, "X-Content-Type-Options", "nosniff"});
  fields.push_back({http::Known::vary, "Vary", "Accept"});
}

}  // namespace headgate::gateway
