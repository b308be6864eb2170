#include "headgate/http/request_rules.hpp"

#include "headgate/http/host.hpp"

#include <boost/beast/http/verb.hpp>

#include <algorithm>
#include <array>

namespace headgate::http {
namespace {

/// Returns whether the method is a known method that is not written in capital letters. Methods are case-sensitive (RFC
/// 9110 section 9.1), but some servers ignore case: "post" would avoid the rules for POST and still be a POST to the
/// server.
bool is_miswritten(std::string_view method) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  std::array<char, 32> upper{};
  if (std::none_of(method.begin(), method.end(), is_small) || method.size() > upper.size()) return false;
  std::transform(method.begin(), method.end(), upper.begin(),
                 [&](char c) { return is_small(c) ? static_cast<char>(c - 32) : c; });
  const boost::beast::string_view meant(upper.data(), method.size());
  return boost::beast::http::string_to_verb(meant) != boost::beast::http::verb::unknown || meant == "QUERY";
}

const char* take_host(const RequestTarget& target, RequestHead& head) {
  head.authority = {};
  head.host.clear();
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
  // HTTP/1.1 requires Host, even with an absolute target (RFC 9112 section 3.2). An HTTP/1.0 request without Host
  // matches only routes for any host.
  const bool needless = head.version < 11 || (head.version > 11 && target.authority);
  return needless ? nullptr : "Host is missing";
}

/// Splits the target into path and query.
const char* take_target(const RequestTarget& asked, Paths paths, RequestHead& head) {
  auto target = asked.path;
  head.query = {};
  head.path_sent.clear();
  head.hides_slash = false;
  if (asked.authority) {
    // an authority that equals Host needs no second parsing
    const bool same = !head.host.empty() && head.authority == *asked.authority;
    head.authority = *asked.authority;
    if (!same && !normalise_host(head.authority, head.host))
      return "the target's host is not a host name with an optional port";
  } else if (target == "*") {
    head.path.assign(1, '*');
    return head.method == "OPTIONS" ? nullptr : "the target * belongs to OPTIONS";
  } else if (!target.starts_with('/')) {
    return "the target is neither a path nor an http address";
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

}  // namespace

std::optional<ParseError> refused_method(std::string_view method) {
  if (is_miswritten(method)) return ParseError{400, "methods are written in capital letters"};
  if (method == "CONNECT") return ParseError{501, "CONNECT is not supported"};
  return {};
}

Result<void, ParseError> apply_request_rules(const RequestTarget& target, Paths paths, RequestHead& head) {
  if (const auto refused = refused_method(head.method)) return *refused;
  if (const auto* why = take_host(target, head)) return ParseError{400, why};
  if (const auto* why = take_target(target, paths, head)) return ParseError{400, why};
  return {};
}

}  // namespace headgate::http
