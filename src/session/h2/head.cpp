#include "head.hpp"

#include "headgate/http/fields.hpp"
#include "headgate/http/host.hpp"
#include "headgate/http/path.hpp"
#include "headgate/http/websocket.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::session {
namespace {

using http::ParseError;

constexpr unsigned kVersion = 20;
// Size in bytes that is enough for most heads, so that they do not reallocate.
constexpr std::size_t kUsualText = 500;
constexpr std::size_t kUsualLines = 16;
constexpr std::size_t kOfListEntry = 32;  // Octets that count for each field (RFC 9113 section 6.5.2).
constexpr std::string_view kCookie = "cookie";
constexpr std::size_t kOfLine = 4;  // Octets for ": " and the line end of HTTP/1.1.

bool is_pseudo(std::string_view name) noexcept { return name.starts_with(':'); }

std::uint32_t urgency_in(std::string_view priority) noexcept {
  constexpr std::uint32_t kUsual = 3;
  for (std::string_view member; http::next_member(priority, member);) {
    if (member.size() == 3 && member.starts_with("u=") && member[2] >= '0' && member[2] <= '7')
      return static_cast<std::uint32_t>(member[2] - '0');
  }
  return kUsual;
}

/// Keeps the safe part of the path for the log of a refused request.
void keep_what_is_safe(std::string_view path, http::RequestHead& out) {
  constexpr std::size_t kLongestMethod = 32;
  if (out.method.size() > kLongestMethod || !http::is_token(out.method)) out.method = {};
  out.authority = {};
  out.host.clear();
  out.path.clear();
  out.path_sent.clear();
  out.query = {};
  const auto mark = std::min(path.find('?'), path.size());
  if (out.method.empty() || !path.starts_with('/')) return;
  if (http::normalise_path(path.substr(0, mark), out.path, out.path_sent) != http::PathKind::refused) return;
  out.path.clear();
  out.path_sent.clear();
}

}  // namespace

bool H2Head::add(std::string_view name, std::string_view value, const http::HeadBounds& bounds) {
  list_size_ += name.size() + value.size() + kOfListEntry;
  bytes_ += name.size() + value.size() + kOfLine;
  const bool crumb = name == kCookie;
  if (crumb) {
    ++crumbs_;
    cookie_bytes_ += value.size() + 2;
  } else if (!is_pseudo(name)) {
    ++fields_;
  } else if (name == ":path") {
    target_bytes_ = value.size();
  }
  if (list_size_ > kHardListSize || fields_ > std::max(kHardFields, bounds.fields) || crumbs_ > kHardFields)
    return false;
  // A head that exceeds a bound is refused even if the bounds change later, because a part of it was not kept.
  if (beyond_ == Beyond::nothing) beyond_ = first_beyond(bounds);
  if (beyond_ != Beyond::nothing) return true;
  if (crumb) {
    if (crumbs_ > 1) cookie_.append("; ");
    cookie_.append(value);
    count_held();
    if (crumbs_ > 1) return true;
    value = {};
  }
  const auto more = name.size() + value.size();
  if (used_ + more > text_.size() || lines_.size() == lines_.capacity()) grow(more);
  lines_.push_back({used_, static_cast<std::uint32_t>(name.size()),
                    crumb ? kWholeCookie : static_cast<std::uint32_t>(value.size())});
  name.copy(text_.data() + used_, name.size());
  value.copy(text_.data() + used_ + name.size(), value.size());
  used_ += static_cast<std::uint32_t>(more);
  return true;
}

void H2Head::grow(std::size_t more) {
  if (used_ + more > text_.size()) text_.resize(std::max({used_ + more, kUsualText, 2 * text_.size()}));
  if (lines_.size() == lines_.capacity()) lines_.reserve(std::max(kUsualLines, 2 * lines_.capacity()));
  count_held();
}

void H2Head::count_held() noexcept { held_ = text_.capacity() + lines_.capacity() * sizeof(Line) + cookie_.capacity(); }

/// Releases spare memory, because no more fields arrive and it may take long until the request is answered.
void H2Head::give_back_room() {
  constexpr std::size_t kLeft = 1024;
  if (text_.size() - used_ > kLeft) {
    text_.resize(used_);
    text_.shrink_to_fit();
  }
  if (cookie_.capacity() - cookie_.size() > kLeft) cookie_.shrink_to_fit();
  count_held();
}

H2Head::Beyond H2Head::first_beyond(const http::HeadBounds& bounds) const noexcept {
  if (target_bytes_ > bounds.target_bytes) return Beyond::target;
  if (fields_ > bounds.fields) return Beyond::fields;
  if (crumbs_ > kMaxCrumbs || cookie_bytes_ > kMaxCookie) return Beyond::cookies;
  if (list_size_ > kMaxListSize || bytes_ > bounds.bytes) return Beyond::bytes;
  return Beyond::nothing;
}

ParseError H2Head::too_much(Beyond what) noexcept {
  switch (what) {
    case Beyond::target:
      return {414, "the target is too long"};
    case Beyond::fields:
      return {431, "the request has too many fields"};
    case Beyond::cookies:
      return {431, "the request has too many cookies"};
    default:
      return {431, "The request's head is too large."};
  }
}

void H2Head::Pseudo::take(std::string_view name, std::string_view value) noexcept {
  if (name == ":method")
    method = value;
  else if (name == ":scheme")
    scheme = value;
  else if (name == ":path")
    path = value;
  else if (name == ":authority")
    authority = value;
  else if (name == ":protocol")
    protocol = value;
}

void H2Head::read_lines(Pseudo& pseudo, http::Fields& fields) const {
  for (const auto& line : lines_) {
    const auto name = name_of(line);
    const auto value = value_of(line);
    if (is_pseudo(name))
      pseudo.take(name, value);
    else
      fields.push_back({http::known_field(name), name, value});
  }
}

/// Turns the request into its HTTP/1.1 form, so that routes and limits handle it in the same way in both protocols. The
/// Sec-WebSocket-Key of the client is removed, because it is for one hop only; servers get a key from the gateway.
void H2Head::take_websocket(http::RequestHead& out) {
  out.method = "GET";
  out.upgrade = http::kWebSocket;
  out.tunnel_by = http::TunnelBy::connect;
  std::erase_if(out.fields, [](const auto& field) { return http::same_variable(field.name, "Sec-WebSocket-Key"); });
  out.fields.push_back({http::Known::connection, "connection", "Upgrade"});
  out.fields.push_back({http::Known::upgrade, "upgrade", http::kWebSocket});
}

Result<void, ParseError> H2Head::finish(http::Paths paths, http::RequestHead& out) {
  out.fields.clear();
  out.version = kVersion;
  out.upgrade = {};
  out.tunnel_by = http::TunnelBy::upgrade;
  give_back_room();
  Pseudo pseudo;
  read_lines(pseudo, out.fields);
  out.method = pseudo.method;
  out.target = pseudo.path;
  const auto refused = [&](const ParseError& why) {
    keep_what_is_safe(pseudo.path, out);
    return why;
  };
  if (beyond_ != Beyond::nothing) return refused(too_much(beyond_));
  if (!http::is_token(out.method)) return refused({400, "the method is not a token"});
  if (pseudo.protocol) {
    if (!same_word(*pseudo.protocol, http::kWebSocket))
      return refused({501, "CONNECT with a :protocol other than websocket is not supported"});
    take_websocket(out);
  }
  if (const auto why = http::refused_method(out.method)) return refused(*why);
  if (pseudo.scheme != "https" && pseudo.scheme != "http") return refused({400, ":scheme is neither http nor https"});

  const auto host = std::find_if(out.fields.begin(), out.fields.end(),
                                 [](const auto& field) { return field.id == http::Known::host; });
  // RFC 9113 section 8.3.1 does not allow different values.
  if (pseudo.authority && host != out.fields.end() && !same_word(*pseudo.authority, host->value))
    return refused({400, ":authority and Host differ"});
  if (pseudo.authority && host == out.fields.end())
    out.fields.push_back({http::Known::host, "host", *pseudo.authority});
  // apply_request_rules() accepts "*" only without an authority
  const bool whole_server = pseudo.path == "*";
  http::RequestTarget target{.path = pseudo.path};
  if (!whole_server) target.authority = pseudo.authority;
  if (const auto ruled = http::apply_request_rules(target, paths, out); ruled.has_error())
    return refused(ruled.error());

  for (const auto& field : out.fields) {
    if (field.id == http::Known::content_length) {
      std::uint64_t length = 0;
      const auto* const end = field.value.data() + field.value.size();
      const auto read = std::from_chars(field.value.data(), end, length);
      if (read.ec != std::errc() || read.ptr != end) return refused({400, "Content-Length is not a number"});
      length_ = length;
      // nghttp2 would enforce this length, but the bytes of a tunnel have no known length.
      if (!out.upgrade.empty()) return refused({400, "a request for a WebSocket has a Content-Length"});
    } else if (field.id == http::Known::expect) {
      if (!same_word(field.value, "100-continue")) return refused({417, "Expect has a value other than 100-continue"});
      expects_continue_ = true;
    } else if (field.name == "priority") {
      urgency_ = urgency_in(field.value);
    }
  }
  return {};
}

std::string H2Head::as_text() const {
  std::string method;
  std::string path;
  std::string fields;
  for (const auto& line : lines_) {
    const auto name = name_of(line);
    if (name == ":method")
      method = value_of(line);
    else if (name == ":path")
      path = value_of(line);
    else if (name == ":authority" || !name.starts_with(':'))
      fields.append(name == ":authority" ? "host" : name).append(": ").append(value_of(line)).append("\r\n");
  }
  return method + ' ' + path + " HTTP/2.0\r\n" + fields + "\r\n";
}

const http::Fields* H2Head::trailers() {
  if (beyond_ != Beyond::nothing) return nullptr;
  trailers_.clear();
  for (const auto& line : lines_)
    trailers_.push_back({http::known_field(name_of(line)), name_of(line), value_of(line)});
  return &trailers_;
}

}  // namespace headgate::session
