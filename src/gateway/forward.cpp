#include "forward.hpp"

#include "limit_fields.hpp"
#include "presented.hpp"
#include "way.hpp"

#include "headgate/http/hop.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

/// RFC 9110 section 7.6.3: the version is the one the message was received in.
constexpr std::string_view via(unsigned version) noexcept { return version == 10 ? "1.0 headgate" : "1.1 headgate"; }

/// All values of one field, as one list; "" where there is none.
std::string_view joined(TextArena& text, const Fields& fields, std::string_view name) {
  std::string_view out;
  for (const auto& field : fields) {
    if (http::same_word(field.name, name)) out = out.empty() ? field.value : text.join({out, ", ", field.value});
  }
  return out;
}

std::string_view with(TextArena& text, std::string_view list, std::string_view last) {
  return list.empty() ? last : text.join({list, ", ", last});
}

/// Numbers that a server behind us tells of its own limits would contradict ours.
bool tells_limits(const Field& field) noexcept {
  constexpr std::array<std::string_view, 5> kNames{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
                                                   "RateLimit", "RateLimit-Policy"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return http::same_word(field.name, name); });
}

}  // namespace

void forward_request_fields(Exchange& x, const identity::Options& identity) {
  auto& out = x.fields;
  out.clear();
  http::append_end_to_end(x.request.fields, out);
  std::erase_if(out, [](const Field& field) { return tells_way(field) || field.id == Known::expect; });
  forward_identity(x, identity, out);
  for (auto& field : out) {
    if (field.id == Known::host) field.value = x.request.authority;  // an absolute target's takes its place
  }
  append_way(x, identity.address_field, out);
  out.push_back({Known::unknown, "X-Request-Id", x.request_id});
  out.push_back({Known::via, "Via", with(x.text, joined(x.text, x.request.fields, "Via"), via(x.request.version))});
  if (x.request.upgrade.empty()) return;
  out.push_back({Known::connection, "Connection", "Upgrade"});
  out.push_back({Known::upgrade, "Upgrade", x.request.upgrade});
}

void forward_reply_fields(Exchange& x, RejectionHeaders style) {
  auto& out = x.fields;
  out.clear();
  http::append_end_to_end(x.answer.fields, out);
  const bool counted = x.admission.binding && style != RejectionHeaders::none;
  std::erase_if(out, [counted](const Field& field) {
    if (field.id != Known::unknown) return field.id == Known::via;
    return http::same_word(field.name, "X-Request-Id") || (counted && tells_limits(field));
  });
  // A length that describes a body not sent (RFC 9110 section 8.6).
  if (x.request.head() || x.answer.status == 304) {
    const auto length = http::value_of(x.answer.fields, Known::content_length);
    if (!length.empty()) out.push_back({Known::content_length, "Content-Length", length});
  }
  if (x.answer.status == 101) {
    out.push_back({Known::upgrade, "Upgrade", http::value_of(x.answer.fields, Known::upgrade)});
  }
  append_limit_fields(x, style, out);
  out.push_back({Known::unknown, "X-Request-Id", x.request_id});
  out.push_back({Known::via, "Via", with(x.text, joined(x.text, x.answer.fields, "Via"), via(x.answer.version))});
}

http::Fields forward_trailers(const http::Fields& trailers) {
  Fields out;
  http::append_end_to_end(trailers, out);
  std::erase_if(
      out, [](const Field& field) { return tells_way(field) || field.id == Known::expect || tells_limits(field); });
  return out;
}

}  // namespace headgate::gateway
