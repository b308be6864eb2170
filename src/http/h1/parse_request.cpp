#include "head_lines.hpp"
#include "line_rules.hpp"

#include "headgate/http/fields.hpp"
#include "headgate/http/hop.hpp"
#include "headgate/http/host.hpp"
#include "headgate/http/path.hpp"

#include <boost/beast/http/verb.hpp>

#include <algorithm>
#include <array>

namespace headgate::http::h1 {
namespace {

/// Methods are case-sensitive (RFC 9110 section 9.1), but some servers ignore case: "post" would avoid the rules for
/// POST and still be POST to the server.
bool is_miswritten(std::string_view method) {
  std::array<char, 32> upper{};
  if (method.size() > upper.size()) return false;
  bool changed = false;
  for (std::size_t i = 0; i < method.size(); ++i) {
    const bool small = method[i] >= 'a' && method[i] <= 'z';
    upper[i] = small ? static_cast<char>(method[i] - 32) : method[i];
    changed = changed || small;
  }
  if (!changed) return false;
  const boost::beast::string_view meant(upper.data(), method.size());
  return boost::beast::http::string_to_verb(meant) != boost::beast::http::verb::unknown || meant == "QUERY";
}

/// Protocols that carry HTTP again, in another version or under TLS: no route and no limit would see the requests in
/// such a tunnel. RFC 9113 removed h2c.
bool carries_http(std::string_view protocols) noexcept {
  for (std::string_view member; next_member(protocols, member);) {
    const auto name = trimmed(member.substr(0, member.find_first_of("/;")));
    if (same_word(name.substr(0, 2), "h2") || same_word(name, "http") || same_word(name, "shttp") ||
        same_word(name, "tls"))
      return true;
  }
  return false;
}

/// Whether framing_rules() or connection_options() reads this field; most requests have none of them.
bool is_message_field(const Field& field) noexcept {
  return field.id == Known::transfer_encoding || field.id == Known::content_length || field.id == Known::connection;
}

const char* take_host(RequestHead& head) {
  std::size_t hosts = 0;
  for (const auto& field : head.fields) {
    if (field.id != Known::host) continue;
    ++hosts;
    head.authority = field.value;
  }
  if (hosts > 1) return "Host occurs twice";
  if (hosts == 1) {
    return normalise_host(head.authority, head.host) ? nullptr : "Host is not a host name with an optional port";
  }
  // HTTP/1.1 requires Host (RFC 9112 section 3.2). An HTTP/1.0 request without Host matches only routes for any host.
  return head.version >= 11 ? "Host is missing" : nullptr;
}

/// Splits origin-form, absolute-form and "*" (RFC 9112 section 3.2) into path and query.
const char* take_target(RequestHead& head, Paths paths) {
  std::string_view target = head.target;
  head.query = {};
  head.path_sent.clear();
  head.hides_slash = false;
  if (target == "*") {
    head.path.assign(1, '*');
    return head.method == "OPTIONS" ? nullptr : "the target * belongs to OPTIONS";
  }
  if (!target.starts_with('/')) {
    constexpr std::string_view kScheme = "http://";
    if (target.size() <= kScheme.size() || !same_word(target.substr(0, kScheme.size()), kScheme)) {
      return "the target is neither a path nor an http address";
    }
    target.remove_prefix(kScheme.size());
    const auto end = std::min(target.find_first_of("/?"), target.size());
    // The authority of an absolute target replaces Host (RFC 9112 section 3.2.2).
    head.authority = target.substr(0, end);
    if (!normalise_host(head.authority, head.host)) return "the target's host is not a host name with an optional port";
    target.remove_prefix(end);
  }
  const auto mark = std::min(target.find('?'), target.size());
  head.query = target.substr(mark);
  if (!valid_query(head.query)) return "the query contains a character that must be percent-encoded";
  const auto path = mark == 0 ? std::string_view("/") : target.substr(0, mark);
  auto kind = PathKind::plain;
  if (paths == Paths::normalised) {
    kind = normalise_path(path, head.path, head.path_sent);
  } else {
    head.path = path;
    if (!valid_path(path)) kind = PathKind::refused;
  }
  head.hides_slash = kind == PathKind::hides_slash;
  return kind == PathKind::refused ? "the path contains a character or escape that is not allowed" : nullptr;
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

/// A malformed line end comes first, because another reader would see other lines.
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
  // A refused sequence has at most three bytes. Go back far enough, but do not begin at an LF whose CR is left out.
  auto from = checked < 3 ? 0 : checked - 3;
  if (from > 0 && bytes[from] == '\n') --from;
  checked = bytes.size();
  bytes.remove_prefix(from);
  if (bytes.ends_with('\r')) bytes.remove_suffix(1);
  if (const auto* why = refused_lines(bytes)) return ParseError{400, why};
  return {};
}

std::optional<ParseError> refused_method(std::string_view method) {
  if (is_miswritten(method)) return ParseError{400, "methods are written in capital letters"};
  if (method == "CONNECT") return ParseError{501, "CONNECT is not supported"};
  return {};
}

Result<void, ParseError> parse_request(std::string_view bytes, const Limits& limits, RequestHead& head) {
  head.authority = {};
  head.host.clear();
  head.fields.clear();
  if (const auto flaw = read_lines(bytes, limits, head); flaw != Flaw::none) return explain(flaw, bytes, limits);
  if (head.target.size() > limits.target_bytes) return ParseError{414, "the target is too long"};

  const bool no_message_field = std::none_of(head.fields.begin(), head.fields.end(), is_message_field);
  const auto framing = no_message_field ? FramingRules{} : framing_rules(head.fields, head.version);
  if (framing.refused) return ParseError{400, framing.refused};
  head.framing = framing.chunked      ? Framing{Framing::Kind::chunked, 0}
                 : framing.length > 0 ? Framing{Framing::Kind::length, framing.length}
                                      : Framing{};
  if (const auto refused = refused_method(head.method)) return *refused;
  if (const auto* why = take_host(head)) return ParseError{400, why};
  if (const auto* why = take_target(head, limits.paths)) return ParseError{400, why};

  const auto connection = no_message_field ? ConnectionOptions{} : connection_options(head.fields);
  if (connection.names > kMaxNamedInConnection) return ParseError{400, "Connection names too many fields"};
  head.keep_alive = !connection.close && (head.version >= 11 || connection.keep_alive);
  head.upgrade = connection.upgrade && head.version >= 11 ? value_of(head.fields, Known::upgrade) : std::string_view{};
  if (carries_http(head.upgrade)) head.upgrade = {};
  // A server may ignore Upgrade (RFC 9110 section 7.8). With a request body it would be unclear where the tunnel
  // begins.
  if (head.framing.kind != Framing::Kind::none) head.upgrade = {};
  head.expects_continue = false;
  if (const auto expect = value_of(head.fields, Known::expect); !expect.empty() && head.version >= 11) {
    if (!same_word(expect, "100-continue")) return ParseError{417, "only 100-continue may be expected"};
    head.expects_continue = head.framing.kind != Framing::Kind::none;
  }
  return {};
}

}  // namespace headgate::http::h1
