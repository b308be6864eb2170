#include "own_body.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "page.hpp"
#include "problem_words.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/markup.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/own_answers.hpp"
#include "headgate/limit/balance.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace headgate::gateway {
namespace {

/// The value of each variable in a configured text, by BodyVariable.
using VariableValues = std::array<std::string_view, kBodyVariables.size()>;

std::optional<BodyVariable> variable_called(std::string_view word) {
  const auto* const found = std::find(kBodyVariables.begin() + 1, kBodyVariables.end(), word);
  if (found == kBodyVariables.end()) return std::nullopt;
  return static_cast<BodyVariable>(found - kBodyVariables.begin());
}

/// Replaces control characters, because markup cannot express them.
std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; }, ' ');
  return out;
}

void append_value(std::string& out, std::string_view value, BodyEscape escape) {
  if (escape == BodyEscape::json)
    append_json_text(out, value);
  else
    out += escape == BodyEscape::markup ? markup(printable(value)) : printable(value);
}

/// Returns the text with the variables replaced by their values, escaped for its type.
std::string filled(const BodyTemplate& page, const VariableValues& values) {
  std::string out;
  for (const auto& part : page.parts) {
    if (part.variable == BodyVariable::literal)
      out += part.text;
    else
      append_value(out, values.at(static_cast<std::size_t>(part.variable)), page.escape);
  }
  return out;
}

using Form = OwnBody::Form;

/// Returns whether the limit that rejected the request counts tokens of a language model.
bool counts_tokens(const Exchange& x, const Problem& problem) noexcept {
  const auto* const binding = x.admission.binding;
  return problem.ended_by == EndedBy::limit && binding != nullptr &&
         binding->route_limit->limit->unit == limit::Unit::token;
}

/// Returns whether a budget is spent rather than a rate: its limit has a status of its own for that, or counts money.
/// If calls under way hold the budget, it is not spent yet.
bool is_spent(const Exchange& x, const Problem& problem) noexcept {
  if (problem.status == kSpentStatus) return true;
  const auto& a = x.admission;
  const bool balance = a.binding != nullptr && limit::is_balance(a.binding_rule());
  if (problem.retry_after == 0 && !balance) return false;  // the request is larger than the whole limit
  return problem.status == kRejectedStatus && problem.ended_by == EndedBy::limit && a.binding != nullptr &&
         a.binding->route_limit->limit->unit == limit::Unit::money && (x.holds.behind >> a.rule & 1) == 0;
}

/// Returns the `type` of an error in OpenAI's format. OpenAI's clients choose their exception by the status, and only
/// display the type.
std::string_view openai_type(const Exchange& x, const Problem& problem) noexcept {
  if (is_spent(x, problem)) return "insufficient_quota";
  if (problem.status == 429) return counts_tokens(x, problem) ? "tokens" : "requests";
  if (problem.status == 403) return "permission_error";
  return problem.status >= 500 ? "server_error" : "invalid_request_error";
}

/// Returns the `code` of an error in OpenAI's format. If OpenAI has a code for the problem, the result is that code,
/// because programs compare codes.
std::string_view openai_code(const Exchange& x, const Problem& problem) noexcept {
  if (is_spent(x, problem)) return "insufficient_quota";
  if (problem.status == 429) return "rate_limit_exceeded";
  if (problem.status == 401) return "invalid_api_key";
  return to_text(problem.ended_by);
}

/// Returns the `error.type` of an error in Anthropic's format.
std::string_view anthropic_type(unsigned status) noexcept {
  switch (status) {
    case 401:
      return "authentication_error";
    case 402:
      return "billing_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    case 504:
      return "timeout_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

std::string_view openai_body(Exchange& x, const Problem& problem, std::string_view sentence) {
  constexpr std::size_t kAround = 160;
  return x.text.write(kAround + kMaxJsonBytes * sentence.size(), [&](TextCursor& out) {
    out.word("{ \"error\": { \"message\": \"");
    write_json_text(out, sentence);
    out.word("\",\n  \"type\": \"");
    out.text(openai_type(x, problem));
    out.word("\", \"param\": null, \"code\": \"");
    out.text(openai_code(x, problem));
    out.word("\" } }\n");
  });
}

std::string_view anthropic_body(Exchange& x, const Problem& problem, std::string_view sentence) {
  constexpr std::size_t kAround = 160;
  return x.text.write(kAround + kMaxJsonBytes * (sentence.size() + x.request_id.size()), [&](TextCursor& out) {
    out.word("{ \"type\": \"error\", \"error\": { \"type\": \"");
    out.text(anthropic_type(problem.status));
    out.word("\",\n  \"message\": \"");
    write_json_text(out, sentence);
    out.word("\" }");
    write_request_id(out, x.request_id);
  });
}

}  // namespace

std::vector<BodyTemplate::Part> read_body(std::string_view text) {
  std::vector<BodyTemplate::Part> out;
  std::string literal;
  while (!text.empty()) {
    const auto begins = std::min(text.find('{'), text.size());
    literal += text.substr(0, begins);
    text.remove_prefix(begins);
    if (text.empty()) break;
    const auto ends = text.find('}');
    const auto variable = ends == text.npos ? std::nullopt : variable_called(text.substr(1, ends - 1));
    if (!variable) {
      literal += '{';
      text.remove_prefix(1);
      continue;
    }
    if (!literal.empty()) out.push_back({BodyVariable::literal, std::exchange(literal, {})});
    out.push_back({*variable, {}});
    text.remove_prefix(ends + 1);
  }
  if (!literal.empty()) out.push_back({BodyVariable::literal, std::move(literal)});
  return out;
}

std::optional<BodyEscape> escape_of_type(std::string_view content_type) {
  const auto type = lower(std::string(trimmed(content_type.substr(0, content_type.find(';')))));
  if (type == "text/plain") return BodyEscape::none;
  if (type == "application/json" || type.ends_with("+json")) return BodyEscape::json;
  if (type == "text/html" || type == "text/xml" || type == "application/xml" || type.ends_with("+xml"))
    return BodyEscape::markup;
  return std::nullopt;
}

const OwnBody& body_chosen_for(const Exchange& x) noexcept {
  static const OwnBody usual;
  if (!x.snapshot) return usual;  // Without a snapshot nothing is known about the request yet.
  if (x.route && x.route->options->own_body) return *x.route->options->own_body;
  return x.snapshot->compiled->options().rejection.body;
}

std::string_view append_own_body(Exchange& x, const Problem& problem, const OwnBody& chosen) {
  if (chosen.text) return append_text_of_user(x, problem, *chosen.text);
  const auto sentence = sentence_of(x.text, words_of(x.text, problem));
  x.fields.push_back({http::Known::content_type, "Content-Type", "application/json"});
  if (chosen.form == Form::openai) return openai_body(x, problem, sentence);
  // Clients of Anthropic read the request id from this field.
  if (!x.request_id.empty()) x.fields.push_back({http::Known::unknown, "Request-Id", x.request_id});
  return anthropic_body(x, problem, sentence);
}

std::string_view append_text_of_user(Exchange& x, const Problem& problem, const BodyTemplate& page) {
  const bool markup = page.escape == BodyEscape::markup;
  const auto words = markup ? visitor_words_of(x.text, problem) : words_of(x.text, problem);
  const auto* const options = x.snapshot ? &x.snapshot->compiled->options() : nullptr;
  VariableValues values;
  const auto set = [&values](BodyVariable variable, std::string_view value) {
    values[static_cast<std::size_t>(variable)] = value;
  };
  set(BodyVariable::status, x.text.number(problem.status));
  set(BodyVariable::title, words.title);
  set(BodyVariable::detail, words.detail);
  set(BodyVariable::code, to_text(problem.ended_by));
  set(BodyVariable::limit, problem.limit);
  set(BodyVariable::when, words.when);
  set(BodyVariable::retry_after, x.text.number(problem.retry_after));
  set(BodyVariable::request_id, x.request_id);
  if (options != nullptr) set(BodyVariable::home, options->home);
  x.fields.push_back({http::Known::content_type, "Content-Type", page.content_type});
  x.fields.push_back({http::Known::unknown, "X-Content-Type-Options", "nosniff"});
  return x.text.join({filled(page, values)});
}

}  // namespace headgate::gateway
