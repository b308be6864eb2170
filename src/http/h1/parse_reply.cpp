#include "head_lines.hpp"
#include "line_rules.hpp"

#include "headgate/http/fields.hpp"
#include "headgate/http/hop.hpp"

namespace headgate::http::h1 {
namespace {

Flaw read_lines(std::string_view bytes, const Limits& limits, ReplyHead& head) {
  if (!bytes.ends_with("\r\n\r\n")) return Flaw::field;
  HeadLines lines(bytes);
  const auto flaw = lines.read_status_line(head);
  return flaw == Flaw::none ? lines.read_fields(head.fields, limits.fields) : flaw;
}

using Kind = WireFraming::Kind;

WireFraming framing_of(const FramingRules& rules, std::string_view request_method, unsigned status) noexcept {
  // Answers with these statuses, and answers to HEAD, have no body, whatever their fields say (RFC 9112 section 6.3).
  // In an answer to HEAD and in 304 the fields describe a body that is not sent.
  if (status < 200 || status == 204 || status == 304 || request_method == "HEAD") return {};
  if (rules.chunked) return {Kind::chunked, 0};
  if (rules.has_length) return rules.length > 0 ? WireFraming{Kind::length, rules.length} : WireFraming{};
  return {Kind::until_close, 0};
}

}  // namespace

Result<Wire, ParseError> parse_reply(std::string_view bytes, std::string_view request_method, const Limits& limits,
                                     ReplyHead& head) {
  head.fields.clear();
  if (const auto flaw = read_lines(bytes, limits, head); flaw != Flaw::none) {
    if (const auto* why = refused_lines(bytes)) return ParseError{502, why};
    return ParseError{
        502, flaw == Flaw::too_many_fields ? "the answer has too many fields" : "the answer's head is malformed"};
  }
  if (head.status < 100 || head.status > 599) return ParseError{502, "the answer's status is outside 100 to 599"};

  const auto rules = framing_rules(head.fields, head.version);
  if (rules.refused) return ParseError{502, rules.refused};
  const bool bodiless = head.status < 200 || head.status == 204;
  if (bodiless && (rules.chunked || rules.length > 0))
    return ParseError{502, "an answer that has no body announces one"};
  Wire wire{.framing = framing_of(rules, request_method, head.status)};
  head.framing = wire.framing.body();

  const auto connection = connection_options(head.fields);
  if (connection.names > kMaxNamedInConnection) return ParseError{502, "the answer's Connection names too many fields"};
  wire.keep_alive =
      !connection.close && (head.version >= 11 || connection.keep_alive) && wire.framing.kind != Kind::until_close;
  return wire;
}

Result<void, ParseError> parse_trailers(std::string_view bytes, const Limits& limits, Fields& trailers) {
  trailers.clear();
  if (bytes == "\r\n") return {};
  if (const auto* why = refused_lines(bytes)) return ParseError{400, why};
  for (std::string_view rest = bytes; rest != "\r\n";) {
    const auto end = rest.find("\r\n");
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    const auto colon = line.find(':');
    constexpr std::string_view kToken = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const auto name = line.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() || name.find_first_not_of(kToken) != std::string_view::npos) {
      return ParseError{400, "a trailer field is malformed"};
    }
    if (trailers.size() == limits.fields) return ParseError{431, "there are too many trailer fields"};
    const auto id = known_field(name);
    switch (id) {
      case Known::transfer_encoding:
      case Known::content_length:
      case Known::host:
      case Known::trailer:
      case Known::connection:
      case Known::authorization:
      case Known::content_encoding:
      case Known::content_type:
      case Known::content_range:
      case Known::set_cookie:
      case Known::cookie:
      case Known::te:
      case Known::upgrade:
      case Known::expect:
      case Known::proxy_authorization:
        return ParseError{400, "a field is not allowed in trailers"};
      default:
        trailers.push_back({id, name, trimmed(line.substr(colon + 1))});
    }
  }
  return {};
}

}  // namespace headgate::http::h1
