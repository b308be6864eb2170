#include "auth_reply.hpp"

#include "gateway/forward/forward.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/hop.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

bool is_redirect(unsigned status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

AuthOutcome auth_outcome_of(const http::ReplyHead& head) noexcept {
  const auto status = head.status;
  if (status / 100 == 2) return AuthOutcome::allowed;
  if (status == 401 || status == 403) return AuthOutcome::refused;
  if (is_redirect(status) && http::has(head.fields, Known::location)) return AuthOutcome::refused;
  return status >= 500 ? AuthOutcome::down : AuthOutcome::unclear;
}

/// Returns whether the gateway sets this field of a refusal itself, or the field concerns the connection to the
/// service.
bool is_not_for_caller(const Field& field) {
  switch (field.id) {
    case Known::date:
    case Known::via:
    case Known::server:
      return true;
    default:
      return http::same_word(field.name, "X-Request-Id") || http::same_word(field.name, "Alt-Svc") ||
             is_limit_field(field) || is_twin_of_hop(field);
  }
}

/// The minimum capacity of the text. A shorter string would be stored inside its object and would move with it.
constexpr std::size_t kNoShortText = 64;

/// The text that the views of an answer refer to. It is never reallocated, so the views stay valid.
class AnswerText {
 public:
  /// Reserves room for all `fields`.
  AnswerText(const Fields& fields, AuthAnswer& out) : out_(out) {
    std::size_t size = 0;
    for (const auto& field : fields) size += field.name.size() + field.value.size() + 2;
    out_.text.reserve(std::max(size, kNoShortText));
    out_.fields.reserve(fields.size());  // thousands of answers are remembered, so each takes only what it needs
  }
  void add(const Field& field) {
    const auto name = keep(field.name);
    out_.fields.push_back({field.id, name, keep(field.value)});
  }
  /// Adds all fields with this name as one, with their values joined (RFC 9110 section 5.3).
  void add_joined(const Fields& fields, std::string_view name, Known id) {
    const auto at = out_.text.size();
    bool any = false;
    for (const auto& field : fields) {
      if (!http::same_word(field.name, name)) continue;
      if (any) out_.text += ", ";
      out_.text += field.value;
      any = true;
    }
    if (!any) return;
    const auto value = std::string_view(out_.text).substr(at);
    out_.fields.push_back({id, keep(name), value});
  }

 private:
  std::string_view keep(std::string_view piece) {
    const auto at = out_.text.size();
    out_.text += piece;
    return std::string_view(out_.text).substr(at);
  }
  AuthAnswer& out_;
};

void keep_of_admission(Fields& fields, const CompiledAuth& auth, AuthAnswer& out) {
  std::erase_if(fields, [&auth](const Field& field) {
    return std::ranges::none_of(auth.kept, [&](const auto& name) { return http::same_word(name, field.name); });
  });
  AnswerText kept(fields, out);
  std::vector<std::string_view> done;
  for (const auto& field : fields) {
    const auto is = [&](std::string_view name) { return http::same_word(name, field.name); };
    if (field.id == Known::set_cookie) {
      kept.add(field);
    } else if (std::ranges::none_of(done, is)) {
      kept.add_joined(fields, field.name, field.id);
      done.push_back(field.name);
    }
  }
}

}  // namespace

AuthAnswer auth_answer_of(const http::ReplyHead& head, const CompiledAuth& auth) {
  AuthAnswer out;
  out.outcome = auth_outcome_of(head);
  out.status = head.status;
  out.passes = out.outcome == AuthOutcome::allowed ||
               (out.outcome == AuthOutcome::down && auth.options->if_down == AuthIfDown::allow);
  if (out.outcome == AuthOutcome::unclear || out.outcome == AuthOutcome::down) {
    out.why = "it answered with " + std::to_string(head.status);
    out.shareable = true;  // no part of the service's answer reaches a caller
    return out;
  }
  Fields fields;
  http::append_end_to_end(head.fields, fields);
  if (out.outcome == AuthOutcome::allowed) {
    keep_of_admission(fields, auth, out);
  } else {
    std::erase_if(fields, is_not_for_caller);
    AnswerText kept(fields, out);
    for (const auto& field : fields) kept.add(field);
  }
  // A cookie is only for the caller whose request was checked.
  out.shareable = !is_redirect(out.status) && !http::has(head.fields, Known::set_cookie) &&
                  auth_answer_counts(head, auth.options->remember) > Duration(0);
  return out;
}

AuthAnswer no_auth_answer(const CompiledAuth& auth, std::string why) {
  AuthAnswer out;
  out.passes = auth.options->if_down == AuthIfDown::allow;
  out.why = std::move(why);
  out.shareable = true;
  return out;
}

Duration auth_answer_counts(const http::ReplyHead& head, Duration most) {
  auto out = most;
  for (const auto& field : head.fields) {
    if (field.id != Known::cache_control) continue;
    auto list = field.value;
    for (std::string_view member; http::next_member(list, member);) {
      if (same_word(member, "no-store") || same_word(member, "no-cache")) return Duration(0);
      constexpr std::string_view kAge = "max-age=";
      if (!same_word(member.substr(0, kAge.size()), kAge)) continue;
      const auto digits = member.substr(kAge.size());
      std::uint32_t seconds = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
      if (error != std::errc() || end != digits.data() + digits.size()) return Duration(0);
      out = std::min(out, Duration(std::chrono::seconds(seconds)));
    }
  }
  return out;
}

}  // namespace headgate::gateway
