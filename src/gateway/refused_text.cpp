#include "refused_text.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/utf8.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace headgate::gateway {
namespace {

constexpr std::string_view kSecret = "(secret)";
constexpr std::size_t kBefore = 48;  // bytes that are shown before the fault
constexpr std::size_t kAfter = 24;
constexpr std::size_t kLongestName = 128;  // of a field or a parameter: what is longer is a secret
constexpr std::size_t kLookedThrough = 4 * RefusedRequests::kHead;  // secrets become shorter
constexpr auto kNowhere = std::string_view::npos;

constexpr std::array<std::string_view, 12> kSecretWords{
    "auth", "cookie", "token", "key", "secret", "passw", "pwd", "credential", "session", "signature", "jwt", "ticket"};
constexpr std::array<std::string_view, 5> kSecretParameters{"code", "sig", "otp", "pin", "sid"};

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
bool ends_line(char c) noexcept { return c == '\r' || c == '\n'; }

/// A head without its secrets, line by line.
class Shown {
 public:
  Shown(std::string_view bytes, std::size_t fault, const identity::Options& identity)
      : bytes_(bytes), fault_(fault), identity_(identity) {}

  /// From `from`, a line's begin, until `most` bytes are shown. Returns whether that is the whole head.
  bool show(std::size_t from, std::size_t most) {
    for (auto at = from; at < bytes_.size(); at = line_end(at)) {
      if (out_.size() >= most) return false;
      const auto end = line_end(at);
      auto text_end = end;
      while (text_end > at && ends_line(bytes_[text_end - 1])) --text_end;
      if (text_end == at && at > 0) return copy(at, end), true;  // the empty line after the head
      if (at == 0)
        first_line(at, text_end);
      else
        field(at, text_end);
      copy(text_end, end);
    }
    return true;
  }

  const std::string& text() const noexcept { return out_; }
  std::size_t place() const noexcept { return place_; }  ///< of the fault in the text
  bool hides_fault() const noexcept { return hidden_; }

 private:
  /// Behind the line, its end included: "\r\n", or one of both alone.
  std::size_t line_end(std::size_t at) const {
    const auto end = bytes_.find_first_of("\r\n", at);
    if (end == kNowhere) return bytes_.size();
    return bytes_.substr(end).starts_with("\r\n") ? end + 2 : end + 1;
  }

  void copy(std::size_t from, std::size_t to) {
    if (fault_ >= from && fault_ < to) place_ = out_.size() + (fault_ - from);
    out_ += bytes_.substr(from, to - from);
  }

  void hide(std::size_t from, std::size_t to) {
    if (from == to) return;
    if (fault_ >= from && fault_ < to) place_ = out_.size(), hidden_ = true;
    out_ += kSecret;
  }

  /// Whatever marks stand between its letters and digits.
  bool is_secret(std::string_view name) const {
    std::string plain;
    for (const char c : name.substr(0, kLongestName)) {
      if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c + 32);
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
    }
    const auto in_name = [&](std::string_view word) { return plain.find(word) != std::string::npos; };
    return name.size() > kLongestName || std::any_of(kSecretWords.begin(), kSecretWords.end(), in_name);
  }

  bool is_secret_field(std::string_view name) const {
    const auto& jwt = identity_.jwt;
    return is_secret(name) || http::same_word(name, identity_.api_key.header) ||
           (jwt && http::same_word(name, jwt->header));
  }

  bool is_secret_parameter(std::string_view name) const {
    const auto& jwt = identity_.jwt;
    if (is_secret(name) || name.find('%') != kNowhere || name == identity_.api_key.query) return true;
    if (jwt && !jwt->query.empty() && name == jwt->query) return true;
    return std::any_of(kSecretParameters.begin(), kSecretParameters.end(),
                       [&](std::string_view each) { return http::same_word(name, each); });
  }

  /// A text with an address in it, maybe: its user and some of its parameters are hidden.
  void address(std::size_t from, std::size_t to) {
    const auto query = std::min(bytes_.find('?', from), to);
    const auto scheme = bytes_.find("://", from);
    if (scheme < query) {
      const auto host = scheme + 3;
      const auto host_end = std::min(bytes_.find('/', host), query);
      const auto user_end = bytes_.substr(host, host_end - host).rfind('@');
      copy(from, host);
      if (user_end != kNowhere) hide(host, host + user_end);
      from = user_end == kNowhere ? host : host + user_end;
    }
    copy(from, query);
    parameters(query, to);
  }

  void parameters(std::size_t at, std::size_t to) {
    while (at < to) {
      const auto name = at + 1;  // behind '?' or '&'
      const auto end = std::min(bytes_.find_first_of("&;#", name), to);
      const auto equals = std::min(bytes_.find('=', name), end);
      copy(at, std::min(equals + 1, end));
      if (equals < end) {
        const bool secret = is_secret_parameter(bytes_.substr(name, equals - name));
        secret ? hide(equals + 1, end) : copy(equals + 1, end);
      }
      at = end;
    }
  }

  void first_line(std::size_t from, std::size_t to) {
    const auto space = std::min(bytes_.find(' ', from), to);
    const auto version = bytes_.substr(0, to).rfind(" HTTP/");
    const auto target_end = version == kNowhere || version < space ? to : version;
    copy(from, space);
    address(space, target_end);
    copy(target_end, to);
  }

  void field(std::size_t from, std::size_t to) {
    auto colon = std::min(bytes_.find(':', from), to);
    if (is_blank(bytes_[from]) || colon == to || colon - from > kLongestName) {
      // Nobody knows what it belongs to.
      auto word = from;
      while (word < to && word - from < kLongestName && !is_blank(bytes_[word]) && bytes_[word] != ':') ++word;
      copy(from, word);
      return hide(word, to);
    }
    const auto name = trimmed(bytes_.substr(from, colon - from));
    ++colon;
    while (colon < to && is_blank(bytes_[colon])) ++colon;
    copy(from, colon);
    if (is_secret_field(name) || is_credential(bytes_.substr(colon, to - colon))) return hide(colon, to);
    address(colon, to);
  }

  static bool is_credential(std::string_view value) {
    const auto scheme = value.substr(0, value.find(' '));
    return scheme.size() < value.size() && (http::same_word(scheme, "Bearer") || http::same_word(scheme, "Basic"));
  }

  std::string_view bytes_;
  std::size_t fault_;
  const identity::Options& identity_;
  std::string out_;
  std::size_t place_ = kNowhere;
  bool hidden_ = false;
};

/// Where the line of `at` begins.
std::size_t line_of(std::string_view bytes, std::size_t at) {
  if (at > 0 && at < bytes.size() && bytes[at] == '\n') --at;  // its CR, or the line that it ends
  if (at > 0 && at < bytes.size() && bytes[at] == '\r') --at;
  const auto before = bytes.substr(0, at + 1).find_last_of("\r\n");
  return before == kNowhere ? 0 : before + 1;
}

}  // namespace

void show_refused_head(std::string_view bytes, std::optional<std::size_t> fault, const identity::Options& identity,
                       RefusedRequest& out) {
  const auto front = bytes.substr(0, kLookedThrough);
  Shown head(front, kNowhere, identity);
  const bool whole = head.show(0, RefusedRequests::kHead);
  out.cut = !whole || (front.size() < bytes.size() && front.find("\r\n\r\n") == kNowhere) ||
            head.text().size() > RefusedRequests::kHead;
  out.head = head.text().substr(0, RefusedRequests::kHead);
  if (!fault || *fault > bytes.size()) return;
  out.byte = *fault;
  constexpr std::size_t kLongestCharacter = 4;
  const auto until = std::min(bytes.size(), *fault + kLongestCharacter + kAfter);
  Shown line(bytes.substr(0, until), *fault, identity);
  const auto begin = line_of(bytes.substr(0, until), *fault);
  line.show(begin, kNowhere);
  const auto& text = line.text();
  const auto place = std::min(line.place(), text.size());
  auto from = place - std::min(place, kBefore);
  while (from < place && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80) ++from;  // within a character
  if (line.hides_fault()) {
    out.before = text.substr(from, place - from) + std::string(kSecret);
    return;
  }
  out.before = text.substr(from, place - from);
  const auto length = place < text.size() ? std::max<std::size_t>(character_length(text, place), 1) : 0;
  out.wrong = text.substr(place, length);
  out.after = whole_characters(std::string_view(text).substr(place + length), kAfter);
}

}  // namespace headgate::gateway
