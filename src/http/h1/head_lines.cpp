#include "head_lines.hpp"

#include "headgate/core/eight_bytes.hpp"
#include "headgate/http/fields.hpp"

#include <array>

namespace headgate::http::h1 {
namespace {

// The parts of a head that a byte is allowed in, one bit for each. CR is allowed nowhere, so every loop stops at the
// end of its line.
constexpr std::uint8_t kToken = 1;   // a token (RFC 9110 section 5.6.2)
constexpr std::uint8_t kTarget = 2;  // the target: neither white space nor a control character
constexpr std::uint8_t kText = 4;    // the value of a field or a reason
constexpr auto kMayStandIn = [] {
  std::array<std::uint8_t, 256> out{};
  for (unsigned c = 0x20; c < 256; ++c) out[c] = c == 0x7f ? 0 : kText;
  for (unsigned c = 0x21; c < 256; ++c) out[c] |= c == 0x7f ? 0 : kTarget;
  out['\t'] = kText;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
    out[static_cast<unsigned char>(c)] |= kToken;
  return out;
}();

bool may_stand_in(char c, std::uint8_t part) noexcept {
  return (kMayStandIn[static_cast<unsigned char>(c)] & part) != 0;
}

const char* past(const char* at, std::uint8_t part) noexcept {
  while (may_stand_in(*at, part)) ++at;
  return at;
}

/// Returns the first CR or other control character that lines must not contain.
const char* past_text(const char* at, const char* end) noexcept {
  while (end - at >= 8 && !has_control(load_eight(at))) at += 8;
  return past(at, kText);
}

bool ends_line(const char* at) noexcept { return at[0] == '\r' && at[1] == '\n'; }

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

std::string_view between(const char* from, const char* to) noexcept {
  return {from, static_cast<std::size_t>(to - from)};
}

/// Connection must be a list of tokens, so that all servers read the same names in it.
bool is_list_of_tokens(std::string_view list) noexcept {
  for (std::string_view member; next_member(list, member);) {
    for (const char c : member)
      if (!may_stand_in(c, kToken)) return false;
  }
  return true;
}

}  // namespace

Flaw HeadLines::read_request_line(RequestHead& head) noexcept {
  const auto* const method = past(at_, kToken);
  if (method == at_ || *method != ' ') return Flaw::method;
  head.method = between(at_, method);
  at_ = method + 1;
  const auto* const target = past(at_, kTarget);
  if (target == at_ || *target != ' ') return Flaw::target;
  head.target = between(at_, target);
  at_ = target + 1;
  return read_version(head.version) && read_line_end() ? Flaw::none : Flaw::version;
}

Flaw HeadLines::read_status_line(ReplyHead& head) noexcept {
  if (!read_version(head.version) || *at_ != ' ') return Flaw::version;
  head.status = 0;
  ++at_;
  for (int digit = 0; digit < 3; ++digit, ++at_) {
    if (!is_digit(*at_)) return Flaw::status;
    head.status = head.status * 10 + static_cast<unsigned>(*at_ - '0');
  }
  if (*at_ != ' ') return Flaw::status;
  ++at_;
  const auto* const reason = at_;
  at_ = past_text(at_, end_);
  head.reason = between(reason, at_);
  return read_line_end() ? Flaw::none : Flaw::status;
}

Flaw HeadLines::read_fields(Fields& fields, std::size_t most) {
  const auto* at = at_;
  while (*at != '\r') {
    const auto* const colon = past(at, kToken);
    if (colon == at || *colon != ':') return Flaw::field;
    const auto name = between(at, colon);
    for (at = colon + 1; is_blank(*at);) ++at;
    const auto* const line_end = past_text(at, end_);
    if (!ends_line(line_end)) return Flaw::field;
    auto value = between(at, line_end);
    while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
    const auto id = known_field(name);
    if ((id == Known::connection || id == Known::proxy_connection) && !is_list_of_tokens(value)) return Flaw::field;
    if (fields.size() == most) return Flaw::too_many_fields;
    fields.push_back({id, name, value});
    at = line_end + 2;
  }
  at_ = at;
  return read_line_end() && at_ == end_ ? Flaw::none : Flaw::field;
}

bool HeadLines::read_version(unsigned& version) noexcept {
  constexpr std::string_view kName = "HTTP/1.";
  if (end_ - at_ <= static_cast<std::ptrdiff_t>(kName.size()) || between(at_, at_ + kName.size()) != kName)
    return false;
  at_ += kName.size();
  if (*at_ != '0' && *at_ != '1') return false;
  version = 10 + static_cast<unsigned>(*at_++ - '0');
  return true;
}

bool HeadLines::read_line_end() noexcept {
  if (!ends_line(at_)) return false;
  at_ += 2;
  return true;
}

}  // namespace headgate::http::h1
