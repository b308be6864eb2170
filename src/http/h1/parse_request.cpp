#include "head_lines.hpp"
#include "line_rules.hpp"

#include "headgate/http/fields.hpp"
#include "headgate/http/hop.hpp"

#include <algorithm>

namespace headgate::http::h1 {
namespace {

/// Returns whether a protocol carries HTTP itself, in another version or under TLS: routes and limits would not see the
/// requests in such a tunnel. RFC 9113 removed h2c.
bool carries_http(std::string_view protocols) noexcept {
  for (std::string_view member; next_member(protocols, member);) {
    const auto name = trimmed(member.substr(0, member.find_first_of("/;")));
    if (same_word(name.substr(0, 2), "h2") || same_word(name, "http") || same_word(name, "shttp") ||
        same_word(name, "tls"))
      return true;
  }
  return false;
}

/// Returns whether the field concerns the connection or the framing; most requests have no such field.
bool is_of_wire(const Field& field) noexcept {
  return field.id == Known::transfer_encoding || field.id == Known::content_length || field.id == Known::connection ||
         field.id == Known::expect;
}

/// Splits origin-form, absolute-form and "*" (RFC 9112 section 3.2). The authority of an absolute target replaces Host.
RequestTarget split_target(std::string_view target) noexcept {
  constexpr std::string_view kScheme = "http://";
  if (target.starts_with('/') || target.size() <= kScheme.size() ||
      !same_word(target.substr(0, kScheme.size()), kScheme))
    return {.path = target};
  target.remove_prefix(kScheme.size());
  const auto end = std::min(target.find_first_of("/?"), target.size());
  return {.authority = target.substr(0, end), .path = target.substr(end)};
}

Flaw read_lines(std::string_view bytes, const Limits& limits, RequestHead& head) {
  if (!bytes.ends_with("\r\n\r\n")) return Flaw::field;
  HeadLines lines(bytes);
  const auto flaw = lines.read_request_line(head);
  return flaw == Flaw::none ? lines.read_fields(head.fields, limits.fields) : flaw;
}

ParseError explain_version(std::string_view bytes) noexcept {
  const auto line = bytes.substr(0, bytes.find('\r'));
  const auto version = line.substr(std::min(line.rfind(' '), line.size() - 1) + 1);
  const bool http = version.size() == 8 && version.starts_with("HTTP/") && version[6] == '.' && version[5] != '1' &&
                    std::count(line.begin(), line.end(), ' ') == 2;
  return http ? ParseError{505, "only HTTP/1.0 and HTTP/1.1 are supported"}
              : ParseError{400, "the HTTP version is malformed"};
}

bool target_too_long(std::string_view bytes, const Limits& limits) noexcept {
  const auto line = bytes.substr(0, bytes.find('\r'));
  const auto first = std::min(line.find(' '), line.size());
  return std::min(line.find(' ', first + 1), line.size()) - first > limits.target_bytes + 1;
}

/// Reports a malformed line end first, because another reader could split such a head into other lines.
ParseError explain(Flaw flaw, std::string_view bytes, const Limits& limits) noexcept {
  if (const auto* why = refused_lines(bytes)) return {400, why};
  if (target_too_long(bytes, limits)) return {414, "the target is too long"};
  switch (flaw) {
    case Flaw::too_many_fields:
      return {431, "the request has too many fields"};
    case Flaw::version:
      return explain_version(bytes);
    case Flaw::method:
      return {400, "the method is not a token"};
    case Flaw::target:
      return {400, "the target is malformed"};
    default:
      return {400, "the head is malformed"};
  }
}

}  // namespace

std::size_t head_size(std::string_view bytes, std::size_t& scanned) noexcept {
  const auto from = scanned < 3 ? 0 : scanned - 3;
  const auto end = bytes.find("\r\n\r\n", from);
  scanned = bytes.size();
  return end == std::string_view::npos ? 0 : end + 4;
}

ParseError too_long(std::string_view bytes, std::size_t most) noexcept {
  const bool in_target = bytes.substr(0, most).find('\n') == std::string_view::npos;
  return in_target ? ParseError{414, "The request's target is too long."}
                   : ParseError{431, "The request's head is too large."};
}

Result<void, ParseError> check_unfinished(std::string_view bytes, std::size_t& checked) noexcept {
  if (bytes.empty()) return {};
  const bool begins_method = is_token(bytes.substr(0, 1));
  if (!begins_method && bytes.front() != '\r') return ParseError{400, "the head does not begin with a method"};
  // A refused sequence has at most three bytes, so the check goes back by three bytes, but does not begin at an LF
  // whose CR was skipped.
  auto from = checked < 3 ? 0 : checked - 3;
  if (from > 0 && bytes[from] == '\n') --from;
  checked = bytes.size();
  bytes.remove_prefix(from);
  if (bytes.ends_with('\r')) bytes.remove_suffix(1);
  if (const auto* why = refused_lines(bytes)) return ParseError{400, why};
  return {};
}

Result<Wire, ParseError> parse_request(std::string_view bytes, const Limits& limits, RequestHead& head) {
  head.fields.clear();
  if (const auto flaw = read_lines(bytes, limits, head); flaw != Flaw::none) return explain(flaw, bytes, limits);
  if (head.target.size() > limits.target_bytes) return ParseError{414, "the target is too long"};

  Wire wire;
  const bool plain = std::none_of(head.fields.begin(), head.fields.end(), is_of_wire);
  if (!plain) {
    const auto framing = framing_rules(head.fields, head.version);
    if (framing.refused) return ParseError{400, framing.refused};
    if (framing.chunked)
      wire.framing = {WireFraming::Kind::chunked, 0};
    else if (framing.length > 0)
      wire.framing = {WireFraming::Kind::length, framing.length};
  }
  if (const auto ruled = apply_request_rules(split_target(head.target), limits.paths, head); ruled.has_error())
    return ruled.error();
  head.framing = wire.framing.body();
  head.upgrade = {};
  head.tunnel_by = TunnelBy::upgrade;
  wire.keep_alive = head.version >= 11;
  if (plain) return wire;

  const auto connection = connection_options(head.fields);
  if (connection.names > kMaxNamedInConnection) return ParseError{400, "Connection names too many fields"};
  wire.keep_alive = !connection.close && (head.version >= 11 || connection.keep_alive);
  // Upgrade is ignored if the request has a body, because the start of the tunnel would be ambiguous. A server may
  // ignore it (RFC 9110 section 7.8).
  const bool has_body = wire.framing.kind != WireFraming::Kind::none;
  if (connection.upgrade && head.version >= 11 && !has_body) head.upgrade = value_of(head.fields, Known::upgrade);
  if (carries_http(head.upgrade)) head.upgrade = {};
  if (const auto expect = value_of(head.fields, Known::expect); !expect.empty() && head.version >= 11) {
    if (!same_word(expect, "100-continue")) return ParseError{417, "Expect has a value other than 100-continue"};
    wire.expects_continue = has_body;
  }
  return wire;
}

}  // namespace headgate::http::h1
