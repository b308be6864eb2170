#include "auth_question.hpp"

#include "gateway/callers/forwarding_headers.hpp"
#include "gateway/callers/presented.hpp"
#include "gateway/forward/forward.hpp"
#include "gateway/record/trace.hpp"
#include "gateway/rooms/room_ticket.hpp"

#include "headgate/http/hop.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

/// The fields of a question that the gateway sets. They are never taken from the client or from another hop.
const http::FieldNames& told_names() {
  static const http::FieldNames names(std::vector<std::string>{"X-Forwarded-*", "X-Original-URI", "X-Original-URL",
                                                               "X-Original-Method", "X-Auth-Request-Redirect"});
  return names;
}

/// Returns whether a field only concerns the form of the answer. Such a field says nothing about the caller, but could
/// make the service answer with a cached, partial or encoded body.
bool is_about_its_answer(const Field& field) noexcept {
  switch (field.id) {
    case Known::expect:
    case Known::host:
    case Known::range:
    case Known::if_range:
    case Known::if_match:
    case Known::if_none_match:
    case Known::if_modified_since:
    case Known::if_unmodified_since:
    case Known::accept_encoding:
    case Known::content_type:
    case Known::content_encoding:
      return true;
    default:
      return false;
  }
}

void push_told(Fields& out, std::string_view name, std::string_view value) {
  if (!value.empty()) out.push_back({Known::unknown, name, value});
}

/// Appends the fields that describe the request to the service. Two families of field names are in use: "X-Forwarded-*"
/// by services made for Traefik, and "X-Original-*" by services made for nginx. The path is normalised, as for the
/// choice of the route: a service that compares paths then recognises every spelling of a path.
void append_told(Exchange& x, const AuthService& auth, identity::AddressField address_field, Fields& out) {
  const auto& request = x.request;
  const auto origin = client_origin(x, address_field);
  const auto uri = x.text.join({request.path, forwarded_query(x, x.snapshot->compiled->identity())});
  if (auth.tells(AuthRequestPart::method)) {
    push_told(out, "X-Forwarded-Method", request.method);
    push_told(out, "X-Original-Method", request.method);
  }
  if (auth.tells(AuthRequestPart::path)) {
    push_told(out, "X-Forwarded-Uri", uri);
    push_told(out, "X-Original-URI", uri);
    if (auth.tells(AuthRequestPart::host))
      push_told(out, "X-Original-URL", x.text.join({origin.scheme, "://", origin.authority, uri}));
  }
}

/// Appends X-Forwarded-For, -Proto and -Host, as servers get them.
void append_forwarded(Exchange& x, const AuthService& auth, identity::AddressField address_field, Fields& out) {
  const auto from = out.size();
  append_forwarding_headers(x, address_field, out);
  const auto untold = [&](const Field& field) {
    const bool of_host =
        http::same_word(field.name, "X-Forwarded-Host") || http::same_word(field.name, "X-Forwarded-Proto");
    return !auth.tells(of_host ? AuthRequestPart::host : AuthRequestPart::client_ip);
  };
  out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), untold), out.end());
}

}  // namespace

AuthQuestion::AuthQuestion(Exchange& x) : route_(*x.route) {
  const auto& compiled = *x.snapshot->compiled;
  const auto& auth = *x.route->auth;
  auto& out = x.fields;
  out.clear();
  http::append_end_to_end(x.request.fields, out);
  std::erase_if(out, [&](const Field& field) {
    return is_forwarding_header(field) || is_about_its_answer(field) || is_twin_of_hop(field) ||
           told_names().contains(field.name) || (auth.options->fields && !auth.fields.contains(field.name)) ||
           (!x.caller.through_trusted && compiled.proxy_fields().contains(field.name));
  });
  forward_identity(x, compiled.identity(), out);
  if (!compiled.rooms().empty()) drop_tickets(x, compiled, out);
  out.push_back({Known::host, "Host", auth.options->host});
  append_told(x, *auth.options, compiled.identity().address_field, out);
  append_forwarded(x, *auth.options, compiled.identity().address_field, out);
  if (x.trace) replace_trace_fields(x, out);
  unnamed_ = x.trace ? 1 : 0;  // the trace adds its own field at the end
  if (!x.request_id.empty()) {
    out.push_back({Known::unknown, "X-Request-Id", x.request_id});
    ++unnamed_;
  }
  take(out);
  const std::string_view target = auth.options->target;
  const auto mark = std::min(target.find('?'), target.size());
  start_.method = "GET";
  start_.path = target.substr(0, mark);
  start_.query = target.substr(mark);
  start_.fields = &fields_;
  start_.room = &head_;
  start_.write_timeout = start_.between_bytes = auth.options->timeout;
}

void AuthQuestion::take(const Fields& fields) {
  std::size_t size = 0;
  for (const auto& field : fields) size += field.name.size() + field.value.size();
  text_.reserve(size);  // the text must not move, because the fields below are views into it
  fields_.reserve(fields.size());
  const auto keep = [this](std::string_view piece) {
    const auto at = text_.size();
    text_ += piece;
    return std::string_view(text_).substr(at);
  };
  for (const auto& field : fields) {
    const auto name = keep(field.name);
    fields_.push_back({field.id, name, keep(field.value)});
  }
}

const identity::Sha256& AuthQuestion::name() {
  if (named_) return name_;
  // The route decides which fields of an answer are kept, so its number is part of the name.
  auto all = std::to_string(route_.number) + '\n';
  for (std::size_t i = 0; i + unnamed_ < fields_.size(); ++i)
    // no value contains either separator
    all.append(fields_[i].name).append(1, '\0').append(fields_[i].value).append(1, '\n');
  name_ = identity::sha256(all);
  named_ = true;
  return name_;
}

std::string_view shown_credential(Exchange& x) {
  const auto& auth = *x.route->auth;
  std::string_view out;
  for (const auto& field : x.request.fields) {
    if (field.id == Known::cookie || field.id == Known::host) continue;
    const bool is = auth.options->fields ? auth.fields.contains(field.name) : field.id == Known::authorization;
    if (is && !field.value.empty()) out = x.text.extend(out, {field.name, ":", field.value, "\n"});
  }
  return out;
}

}  // namespace headgate::gateway
