#include "problem_words.hpp"

#include "gateway/limits/limit_fields.hpp"

#include <boost/beast/http/status.hpp>

namespace headgate::gateway {
namespace {

constexpr std::string_view kTooMany = "Too many requests came from you or from your network in a short time.";
constexpr std::string_view kNoAnswer = "This site cannot answer at the moment.";

/// Returns the sentence for visitors; empty if the problem's own detail is the best sentence, because it is about the
/// visitor's request.
std::string_view sentence_for_visitors(const Problem& problem) noexcept {
  switch (problem.ended_by) {
    case EndedBy::limit:
    case EndedBy::ban:
      return problem.retry_after > 0 && problem.status != kSpentStatus ? kTooMany : std::string_view{};
    case EndedBy::shed:
    case EndedBy::full:
      return "This site is very busy at the moment.";
    case EndedBy::no_route:
      return problem.status == 404 ? "There is no page at this address." : "";
    case EndedBy::auth:
      return problem.status == 403   ? "You are not allowed to see this page."
             : problem.status == 401 ? "This page is only for those who sign in or have a key."
                                     : "";
    case EndedBy::timeout_connect:
    case EndedBy::timeout_upstream:
    case EndedBy::deadline:
      return "This site took too long to answer.";
    case EndedBy::bug:
      return "Something went wrong on our side.";
    default:
      return problem.status >= 500 ? kNoAnswer : std::string_view{};
  }
}

}  // namespace

std::string_view title_of(unsigned status) noexcept {
  const auto known = boost::beast::http::int_to_status(status);
  if (known == boost::beast::http::status::unknown) return status < 500 ? "Client Error" : "Server Error";
  const auto reason = boost::beast::http::obsolete_reason(known);
  return {reason.data(), reason.size()};
}

ProblemWords words_of(TextArena& text, const Problem& problem) {
  ProblemWords words{.title = title_of(problem.status), .detail = problem.detail, .when = {}};
  if (problem.until_wait != nullptr) {
    const std::string_view sentence = problem.until_wait->sentence;
    words.detail = sentence.substr(0, sentence.size() - kUntil.size());
    words.when = text.join({kUntil.substr(1), in_words(text, problem.retry_after), "."});
  } else if (problem.retry_after > 0 && problem.detail.find("Try again") == std::string_view::npos) {
    words.when = text.join({"Try again in ", in_words(text, problem.retry_after), "."});
  }
  return words;
}

ProblemWords visitor_words_of(TextArena& text, const Problem& problem) {
  const auto sentence = sentence_for_visitors(problem);
  if (sentence.empty()) return words_of(text, problem);
  ProblemWords words{.title = title_of(problem.status), .detail = sentence, .when = {}};
  if (problem.retry_after > 0)
    words.when = text.join({"Please try again in ", in_words(text, problem.retry_after), "."});
  else if (problem.status >= 500)
    words.when = "Please try again in a moment.";
  return words;
}

std::string_view sentence_of(TextArena& text, const ProblemWords& words) {
  return words.when.empty() ? words.detail : text.join({words.detail, " ", words.when});
}

void write_request_id(TextCursor& out, std::string_view id) noexcept {
  if (!id.empty()) {
    out.word(",\n  \"request_id\": \"");
    out.text(id);
    out.character('"');
  }
  out.word(" }\n");
}

}  // namespace headgate::gateway
