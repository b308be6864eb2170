#include "headgate/gateway/problem.hpp"

#include "error_page.hpp"
#include "gateway/grpc/grpc_call.hpp"
#include "gateway/limits/appointments.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "grpc_answer.hpp"
#include "own_body.hpp"
#include "problem_words.hpp"
#include "retry_fields.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/gateway/answer.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

using upstream::Failed;

/// The maximum size in bytes of the parts of a body other than its texts: member names, status and wait.
constexpr std::size_t kMaxAround = 448;

/// Returns the problem type of draft-ietf-httpapi-ratelimit-headers-11 section 5; "about:blank" for other problems,
/// which only have a status.
std::string_view type_of(unsigned status, EndedBy ended_by) noexcept {
  switch (ended_by) {
    case EndedBy::limit:
      return is_of_limit(status) ? "https://iana.org/assignments/http-problem-types#quota-exceeded" : "about:blank";
    case EndedBy::ban:
      return "https://iana.org/assignments/http-problem-types#abnormal-usage-detected";
    case EndedBy::shed:
      return "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";
    default:
      return "about:blank";
  }
}

void write_beginning(TextCursor& out, unsigned status, EndedBy ended_by, std::string_view title,
                     std::string_view detail) noexcept {
  out.word("{ \"type\": \"");
  out.text(type_of(status, ended_by));
  out.word("\", \"title\": \"");
  out.text(title);
  out.word("\", \"status\": ");
  out.number(status);
  if (ended_by != EndedBy::respond) {  // Refusals of the admin interface have no code.
    out.word(", \"code\": \"");
    out.text(to_text(ended_by));
    out.character('"');
  }
  out.word(",\n  \"detail\": \"");
  write_json_text(out, detail);
}

void write_limit(TextCursor& out, std::string_view limit) noexcept {
  if (limit.empty()) return;
  out.word(",\n  \"limit\": \"");
  write_json_text(out, limit);
  out.character('"');
}

/// Writes `policy`, spelled as in RateLimit-Policy; writes nothing if it is empty.
void write_policy(TextCursor& out, std::string_view policy) noexcept {
  if (policy.empty()) return;
  out.word(",\n  \"violated-policies\": [\"");
  write_json_text(out, policy);
  out.word("\"]");
}

/// Returns the name of the limit that suspended the caller, or of the rule that rejected it; empty for other problems.
std::string_view policy_of(const Exchange& x, const Problem& problem) noexcept {
  if (problem.ended_by == EndedBy::ban) return problem.limit;
  if (problem.ended_by != EndedBy::limit || !is_of_limit(problem.status)) return {};
  const bool known = x.admission.binding != nullptr && x.admission.outcome == Admission::Outcome::rejected;
  return known ? std::string_view(x.admission.rule_label()) : problem.limit;
}

/// Return whole seconds since the epoch. The start of an appointment is rounded up and its end down, so that both
/// seconds lie within it.
std::uint64_t second_after(Instant instant) noexcept {
  return static_cast<std::uint64_t>((instant.time_since_epoch().count() + 999'999) / 1'000'000);
}
std::uint64_t second_before(Instant instant) noexcept {
  return static_cast<std::uint64_t>(instant.time_since_epoch().count() / 1'000'000);
}

std::string_view body_of(Exchange& x, const Problem& problem, std::string_view retry_after) {
  const auto& offered = x.appointments.offered;
  const auto policy = policy_of(x, problem);
  const auto* const ready = problem.until_wait;
  const auto title = ready == nullptr ? title_of(problem.status) : std::string_view{};
  const auto told =
      problem.detail.size() + problem.limit.size() + policy.size() + x.request_id.size() + offered.token.size();
  const auto most =
      kMaxAround + kMaxJsonBytes * told + (ready == nullptr ? title.size() : ready->json.size() + ready->after.size());
  return x.text.write(most, [&](TextCursor& out) {
    if (ready == nullptr) {
      write_beginning(out, problem.status, problem.ended_by, title, problem.detail);
      out.character('"');
      write_limit(out, problem.limit);
      write_policy(out, policy);
    } else {
      out.text(ready->json);
      write_in_words(out, problem.retry_after);
      out.text(ready->after);
    }
    if (!retry_after.empty()) {
      out.word(", \"retry_after\": ");
      out.text(retry_after);
    }
    if (!offered.token.empty()) {
      out.word(",\n  \"appointment\": { \"token\": \"");
      out.text(offered.token);
      out.word("\", \"from\": ");
      out.number(second_after(offered.from));
      out.word(", \"until\": ");
      out.number(second_before(offered.until));
      out.word(" }");
    }
    write_request_id(out, x.request_id);
  });
}

/// Returns whether the log must record the detail of the problem. This is so if the request itself is at fault, or if
/// there are too many requests.
bool is_refusal(EndedBy ended_by) noexcept {
  return ended_by == EndedBy::full || ended_by == EndedBy::bad_request || ended_by == EndedBy::too_large ||
         ended_by == EndedBy::timeout_client;
}

/// Appends the body in the form that the client prefers.
std::string_view append_usual_body(Exchange& x, const Problem& problem, std::string_view retry_after) {
  const auto form = form_of(x);
  if (const auto* const page = page_of_user(x, problem.status, form)) {
    x.fields.push_back({http::Known::vary, "Vary", "Accept"});
    return append_text_of_user(x, problem, *page);
  }
  append_form(form, x.fields);
  if (form != ProblemForm::json) return page_of(x, problem, form);
  return body_of(x, problem, retry_after);
}

std::string_view append_body(Exchange& x, const Problem& problem, std::string_view retry_after) {
  const auto& chosen = body_chosen_for(x);
  if (is_own(chosen)) return append_own_body(x, problem, chosen);
  const bool left_out = problem.body == ProblemBody::of_rejection && chosen.form == OwnBody::Form::none;
  return left_out ? std::string_view{} : append_usual_body(x, problem, retry_after);
}

Task<void> nothing() { co_return; }

/// Puts the problem into the head of a gRPC answer, whose HTTP status is always 200.
void say_in_grpc(Exchange& x, const Problem& problem, AnswerStart& answer) {
  x.fields.push_back({http::Known::content_type, "Content-Type", "application/grpc"});
  append_grpc_status(x, problem, sentence_of(x.text, words_of(x.text, problem)));
  answer.counts_as = std::exchange(answer.start.status, 200);
}

/// Ends a gRPC answer that has already begun: sends the status in its trailers.
Task<void> end_with_status(Exchange& x, const Problem& problem) {
  x.fields.clear();
  append_grpc_status(x, problem, sentence_of(x.text, words_of(x.text, problem)));
  co_await x.reply->finish(x.fields);
}

}  // namespace

UntilWait until_wait(unsigned status, EndedBy ended_by, std::string sentence, std::string_view limit,
                     std::string_view policy) {
  UntilWait out{.sentence = std::move(sentence), .json = {}, .after = {}};
  const auto title = title_of(status);
  append_text(out.json, kMaxAround + title.size() + kMaxJsonBytes * out.sentence.size(),
              [&](TextCursor& cursor) { write_beginning(cursor, status, ended_by, title, out.sentence); });
  append_text(out.after, kMaxAround + kMaxJsonBytes * (limit.size() + policy.size()), [&](TextCursor& cursor) {
    cursor.word(".\"");
    write_limit(cursor, limit);
    write_policy(cursor, policy);
  });
  out.json.shrink_to_fit();  // Such a text is stored for each key with a rate of its own, so spare memory is released.
  out.after.shrink_to_fit();
  return out;
}

Problem problem_of(const upstream::Failure& failure) {
  switch (failure.what) {
    case Failed::no_connection:
    case Failed::untrusted:
    case Failed::handshake:
      return {
          .status = 502, .ended_by = EndedBy::no_server, .detail = "No server behind this gateway could be reached."};
    case Failed::connect_timeout:
      return {.status = 504,
              .ended_by = EndedBy::timeout_connect,
              .detail = "No server behind this gateway could be reached in time."};
    case Failed::reply_timeout:
      return {.status = 504,
              .ended_by = EndedBy::timeout_upstream,
              .detail = "The server behind this gateway did not answer in time."};
    case Failed::deadline:
      return {.status = 504,
              .ended_by = EndedBy::deadline,
              .detail = "The deadline of this request came before the server's answer."};
    case Failed::full:
      return {.status = 503,
              .ended_by = EndedBy::shed,
              .detail = "The servers behind this gateway are at capacity.",
              .retry_after = 1};
    case Failed::own_want:
      return {.status = 503,
              .ended_by = EndedBy::shed,
              .detail = "This gateway has too many connections. Try again shortly.",
              .retry_after = 1};
    case Failed::sending:
    case Failed::closed:
      return {.status = 502,
              .ended_by = EndedBy::upstream_closed,
              .detail = "The server behind this gateway closed the connection before it answered."};
    case Failed::malformed:
      return {.status = 502,
              .ended_by = EndedBy::upstream_closed,
              .detail = "The server behind this gateway gave an answer that is not valid HTTP."};
    case Failed::head_too_large:
      return {.status = 502,
              .ended_by = EndedBy::upstream_closed,
              .detail = "The server behind this gateway gave an answer whose head is too large."};
  }
  return {};
}

std::string_view reason_of(const upstream::Failure& failure, TextArena& text) {
  const auto with_cause = [&](std::string_view what) {
    return failure.cause ? text.join({what, ": ", failure.cause.message()}) : what;
  };
  if (*failure.why != '\0') return failure.why;
  if (!failure.detail.empty())
    return failure.what == Failed::untrusted ? text.join({failure.detail}) : text.join({"TLS: ", failure.detail});
  switch (failure.what) {
    case Failed::no_connection:
      return with_cause("it could not be connected to");
    case Failed::untrusted:
      return "its certificate is not trusted";
    case Failed::handshake:
      return with_cause("the TLS handshake failed");
    case Failed::full:
      return "no server has a free place";
    case Failed::connect_timeout:
      return "it could not be connected to in time";
    case Failed::reply_timeout:
      return "it did not answer in time";
    case Failed::sending:
      return with_cause("it stopped reading the request");
    case Failed::closed:
      return with_cause("it closed the connection before the end of its answer");
    case Failed::malformed:
      return with_cause("the answer is not valid HTTP");
    case Failed::head_too_large:
      return "the answer's head is too large";
    case Failed::own_want:
      return "this gateway has no descriptor left";
    case Failed::deadline:
      return "the caller's deadline came first";
  }
  return {};
}

Problem problem_of_head(unsigned status, std::string_view why) {
  const auto ended_by = status == 408                                     ? EndedBy::timeout_client
                        : status == 503                                   ? EndedBy::full
                        : status == 413 || status == 414 || status == 431 ? EndedBy::too_large
                                                                          : EndedBy::bad_request;
  // A 503 means that some resource is exhausted, which may be free again in a moment.
  return {.status = status, .ended_by = ended_by, .detail = why, .retry_after = status == 503 ? 1U : 0U};
}

std::optional<Problem> problem_of_operator(const Exchange& x) {
  if (x.broken_off != BrokenOff::operator_ || x.reply->started()) return std::nullopt;
  return Problem{
      .status = 503, .ended_by = EndedBy::operator_, .detail = "An operator of this gateway ended this request."};
}

Task<void> send_problem(Exchange& x, const Problem& problem, RejectionHeaders style) {
  x.ended_by = problem.ended_by;
  x.problem_limit = problem.limit;
  x.retry_after = std::chrono::seconds(problem.retry_after);
  if (x.reason.empty() && is_refusal(problem.ended_by)) x.reason = problem.detail;
  if (problem.silent) return nothing();  // The session notices that there is no answer.
  if (x.reply->started())
    // If no trailers can be sent, the session resets the connection or stream.
    return x.grpc_answer && is_grpc_for_server(x) ? end_with_status(x, problem) : nothing();
  x.fields.clear();
  const auto retry_after = problem.retry_after > 0 ? x.text.number(problem.retry_after) : std::string_view{};
  append_retry_fields(x, problem, retry_after);
  if (!x.appointments.offered.token.empty())
    x.fields.push_back(
        {http::Known::unknown, kAppointmentField,
         x.text.join({x.appointments.offered.token, ";from=", x.text.number(second_after(x.appointments.offered.from)),
                      ";until=", x.text.number(second_before(x.appointments.offered.until))})});
  if (!problem.challenge.empty())
    x.fields.push_back({http::Known::www_authenticate, "WWW-Authenticate", problem.challenge});
  if (!problem.location.empty()) x.fields.push_back({http::Known::location, "Location", problem.location});
  if (problem.status == 405) x.fields.push_back({http::Known::allow, "Allow", x.allowed_methods});
  std::string_view body;
  AnswerStart answer{.start = {.status = problem.status}, .limits = style};
  if (is_grpc(x)) [[unlikely]]
    say_in_grpc(x, problem, answer);
  else if (problem.body != ProblemBody::never)
    body = append_body(x, problem, retry_after);
  x.fields.push_back({http::Known::cache_control, "Cache-Control", "no-store"});
  return send_whole<AnswerFrom::gateway>(x, answer, body);
}

}  // namespace headgate::gateway
