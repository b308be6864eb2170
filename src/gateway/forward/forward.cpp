#include "forward.hpp"

#include "edit_fields.hpp"
#include "gateway/callers/forwarding_headers.hpp"
#include "gateway/callers/presented.hpp"
#include "gateway/record/trace.hpp"
#include "gateway/rooms/room_ticket.hpp"
#include "max_forwards.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/http/hop.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

/// Returns all values of one field as one list; "" if there is none.
std::string_view joined(TextArena& text, const Fields& fields, std::string_view name) {
  std::string_view out;
  for (const auto& field : fields) {
    if (http::same_word(field.name, name)) out = out.empty() ? field.value : text.extend(out, {", ", field.value});
  }
  return out;
}

std::string_view with(TextArena& text, std::string_view list, std::string_view last) {
  return list.empty() ? last : text.extend(list, {", ", last});
}

/// Appends Via (RFC 9110 section 7.6.3). Entries of other hops are forwarded even if the gateway adds none.
void append_via(TextArena& text, const Fields& received, std::string_view ours, Fields& out) {
  const auto others = joined(text, received, "Via");
  const auto all = ours.empty() ? others : with(text, others, ours);
  if (!all.empty()) out.push_back({Known::via, "Via", all});
}

/// The server always gets a Host (RFC 9112 section 3.2). The host of an absolute target replaces the one sent. If the
/// client sent no Host, the server gets the name of the upstream.
void append_host(const Exchange& x, Fields& out) {
  std::string_view host = x.request.authority.empty() ? x.upstream : x.request.authority;
  if (x.route && x.route->edits && x.route->edits->host.is == HostHeader::Is::fixed) host = x.route->edits->host.text;
  const auto sent = std::find_if(out.begin(), out.end(), [](const Field& field) { return field.id == Known::host; });
  if (sent != out.end())
    sent->value = host;
  else
    out.push_back({Known::host, "Host", host});
}

}  // namespace

// Returns whether the field is of a family like "RateLimit", "X-RateLimit-Reset" and "X-Rate-Limit-Remaining".
bool is_limit_field(const Field& field) noexcept {
  auto name = field.name;
  if (http::same_word(name.substr(0, 2), "X-")) name.remove_prefix(2);
  for (const std::string_view family : {"RateLimit", "Rate-Limit"}) {
    if (!http::same_word(name.substr(0, family.size()), family)) continue;
    if (name.size() == family.size() || name[family.size()] == '-') return true;
  }
  return false;
}

// Does not check the normal spelling of a name: such a field has an id, and is already removed by that id.
bool is_twin_of_hop(const Field& field) {
  static const http::FieldNames names(std::vector<std::string>{"Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
                                                               "Proxy-Authorization", "Transfer-Encoding",
                                                               "Content-Length", "HTTP2-Settings", "Max-Forwards"});
  return field.id == Known::unknown && names.contains(field.name);
}

void forward_request_fields(Exchange& x, const CompiledConfig& compiled) {
  const auto& identity = compiled.identity();
  auto& out = x.fields;
  out.clear();
  http::append_end_to_end(x.request.fields, out);
  const bool reads_answer = x.route && x.route->bodies && x.route->bodies->reads_answer;  // it must not be compressed
  std::erase_if(out, [&](const Field& field) {
    return is_forwarding_header(field) || field.id == Known::expect || is_twin_of_hop(field) ||
           (field.id == Known::accept_encoding && reads_answer) ||
           (!x.caller.through_trusted && compiled.proxy_fields().contains(field.name));
  });
  forward_identity(x, identity, out);
  if (!compiled.rooms().empty()) drop_tickets(x, compiled, out);
  append_host(x, out);
  if (counts_hops(x.request.method)) count_hop(x, out);
  append_forwarding_headers(x, identity.address_field, out);
  out.push_back({Known::unknown, "X-Request-Id", x.request_id});
  append_via(x.text, x.request.fields, compiled.via(x.request.version), out);
  if (x.trace) replace_trace_fields(x, out);
  if (x.route && x.route->edits) edit_request(x, out);
  if (x.request.upgrade.empty()) return;
  out.push_back({Known::connection, "Connection", "Upgrade"});
  out.push_back({Known::upgrade, "Upgrade", x.request.upgrade});
}

void take_over_fields(Exchange& x, RejectionHeaders limits) {
  auto& out = x.fields;
  out.clear();
  http::append_end_to_end(x.answer.fields, out);
  const bool counted = x.admission.binding && limits != RejectionHeaders::none;
  std::erase_if(out, [counted](const Field& field) {
    if (field.id != Known::unknown) return field.id == Known::via;
    return http::same_word(field.name, "X-Request-Id") || (counted && is_limit_field(field));
  });
  // This is the Content-Length of a body that is not sent (RFC 9110 section 8.6).
  if (x.request.head() || x.answer.status == 304) {
    const auto length = http::value_of(x.answer.fields, Known::content_length);
    if (!length.empty()) out.push_back({Known::content_length, "Content-Length", length});
  }
  if (x.answer.status != 101) return;
  if (x.request.by_connect())  // the gateway made its own handshake with the server
    std::erase_if(out, [](const Field& field) { return field.id == Known::sec_websocket_accept; });
  else
    out.push_back({Known::upgrade, "Upgrade", http::value_of(x.answer.fields, Known::upgrade)});
}

void append_reply_via(Exchange& x, Fields& out) {
  append_via(x.text, x.answer.fields, x.snapshot->compiled->via(x.answer.version), out);
}

http::Fields forward_trailers(const http::Fields& trailers, const CompiledConfig& compiled,
                              std::span<const FieldEdit> edits) {
  Fields out;
  http::append_end_to_end(trailers, out);
  std::erase_if(out, [&compiled](const Field& field) {
    return is_forwarding_header(field) || field.id == Known::expect || is_limit_field(field) ||
           is_identity_field(field, compiled.identity()) || is_twin_of_hop(field) ||
           compiled.proxy_fields().contains(field.name);
  });
  drop_edited(edits, out);
  return out;
}

http::Fields forward_trailers(const Exchange& x, const http::Fields& trailers, Towards towards) {
  std::span<const FieldEdit> edits;
  if (x.route && x.route->edits)
    edits = towards == Towards::server ? x.route->edits->request_fields : x.route->edits->response_fields;
  return forward_trailers(trailers, *x.snapshot->compiled, edits);
}

}  // namespace headgate::gateway
