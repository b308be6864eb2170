#include "edit_fields.hpp"

#include "answer_addresses.hpp"
#include "gateway/callers/caller_parts.hpp"
#include "rewrite.hpp"

#include "headgate/identity/client_address.hpp"

#include <algorithm>
#include <array>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

std::string_view part_of(Exchange& x, const TextPart& part) {
  switch (part.kind) {
    case TextPart::Kind::literal:
      return part.text;
    case TextPart::Kind::client_ip: {
      if (x.caller.ip_key.empty()) return {};  // the exchange ended before the step `identify`
      std::array<char, identity::kMaxAddressText> buffer{};
      return x.text.join({identity::address_text(x.caller.address, buffer)});
    }
    case TextPart::Kind::request_id:
      return x.request_id;
    case TextPart::Kind::route:
      return x.route->name;
    case TextPart::Kind::host:
      return x.request.host;
    case TextPart::Kind::claim:
      return x.caller.claim(part.text);
    case TextPart::Kind::key_owner:
      return key_part(x, identity::KeyPart::owner);
    case TextPart::Kind::key_tier:
      return key_part(x, identity::KeyPart::tier);
    case TextPart::Kind::key_tags:
      return key_part(x, identity::KeyPart::tags);
    case TextPart::Kind::auth:
      return x.auth ? x.auth->value(part.text) : std::string_view{};
    case TextPart::Kind::user:
      return x.user;
    case TextPart::Kind::path:
      return segment_of(x.request.path, part.segment);
  }
  return {};
}

/// Returns whether the text has no blank at its ends, and no line end, which could begin another field (RFC 9110
/// section 5.5).
bool fits_in_a_field(std::string_view value) noexcept {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  return !value.empty() && value.front() != ' ' && value.back() != ' ' &&
         std::none_of(value.begin(), value.end(), control);
}

void erase_called(std::string_view name, Fields& fields) {
  std::erase_if(fields, [name](const Field& field) { return http::same_variable(field.name, name); });
}

/// Appends the prefixes that trusted hops report as stripped, and after them the prefix that the gateway strips.
void append_forwarded_prefix(Exchange& x, Fields& fields) {
  constexpr std::string_view kName = "X-Forwarded-Prefix";
  const auto told = x.caller.through_trusted ? http::value_of(x.request.fields, kName) : std::string_view{};
  erase_called(kName, fields);
  const std::string_view own = x.route->edits->stripped;
  const bool path = told.starts_with('/') && told.size() > 1 && !told.ends_with('/');
  fields.push_back({Known::unknown, kName, path ? x.text.join({told, own}) : own});
}

/// Returns whether the field may appear only once: of two such fields, a browser ignores the second (RFC 6797 section
/// 8.1).
bool stands_once(const FieldEdit& edit) noexcept { return edit.id == Known::strict_transport_security; }

/// Appends a line for each value of a field whose lines cannot be joined, such as Set-Cookie.
void append_each(const Exchange& x, const FieldEdit& edit, Fields& fields) {
  if (!x.auth || x.auth->outcome != AuthOutcome::allowed) return;
  for (const auto& field : x.auth->fields)
    if (http::same_word(field.name, edit.name)) fields.push_back({edit.id, edit.name, field.value});
}

/// Returns the authority, without its port if it is 80 or 443.
std::string_view without_default_port(std::string_view server) noexcept {
  for (const std::string_view port : {":80", ":443"})
    if (server.ends_with(port)) return server.substr(0, server.size() - port.size());
  return server;
}

}  // namespace

std::string_view text_of(Exchange& x, const TextTemplate& text) {
  std::string_view out;
  for (const auto& part : text) {
    const auto value = part_of(x, part);
    if (value.empty()) return {};
    if (text.size() == 1) {
      out = value;
    } else {
      // The text begins as a copy of the value: extending a text may move it, and there may be views of the original
      // value.
      out = out.empty() ? x.text.join({value}) : x.text.extend(out, {value});
    }
  }
  return fits_in_a_field(out) ? out : std::string_view{};
}

void edit_fields(Exchange& x, std::span<const FieldEdit> edits, Fields& fields, IfEmpty if_empty) {
  for (const auto& edit : edits) {
    if (edit.how >= FieldEdit::How::remove) {
      if (edit.how == FieldEdit::How::remove)
        erase_called(edit.name, fields);
      else
        append_each(x, edit, fields);
      continue;
    }
    if (edit.how != FieldEdit::How::add || stands_once(edit)) erase_called(edit.name, fields);
    const auto value = text_of(x, edit.value);
    if (!value.empty() || if_empty == IfEmpty::sent) fields.push_back({edit.id, edit.name, value});
  }
}

void add_missing_fields(Exchange& x, std::span<const FieldEdit> edits, Fields& fields) {
  for (const auto& edit : edits) {
    const auto same = [&](const Field& field) { return http::same_variable(field.name, edit.name); };
    if (edit.how >= FieldEdit::How::remove || std::any_of(fields.begin(), fields.end(), same)) continue;
    if (const auto value = text_of(x, edit.value); !value.empty()) fields.push_back({edit.id, edit.name, value});
  }
}

void drop_edited(std::span<const FieldEdit> edits, Fields& trailers) {
  for (const auto& edit : edits)
    if (edit.how != FieldEdit::How::add) erase_called(edit.name, trailers);
}

void edit_request(Exchange& x, Fields& fields) {
  const auto& edits = *x.route->edits;
  if (!edits.stripped.empty()) append_forwarded_prefix(x, fields);
  edit_fields(x, edits.request_fields, fields);
}

void edit_answer(Exchange& x, Fields& fields) {
  if (x.route->edits->answers) turn_addresses(x, fields);
  edit_fields(x, x.route->edits->response_fields, fields);
}

void edit_fixed_answer(Exchange& x, Fields& fields) {
  edit_fields(x, x.route->edits->respond_fields, fields);
  edit_fields(x, x.route->edits->response_fields, fields);
}

void name_server(Exchange& x, std::string_view server) {
  if (x.route->edits->host.is != HostHeader::Is::server) return;
  for (auto& field : x.fields)
    if (field.id == Known::host) field.value = without_default_port(server);
}

}  // namespace headgate::gateway
