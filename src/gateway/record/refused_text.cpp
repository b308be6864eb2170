#include "refused_text.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/utf8.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace headgate::gateway {
namespace {

constexpr std::string_view kSecret = "(secret)";
constexpr std::size_t kBefore = 48;  // bytes that are shown before the fault
constexpr std::size_t kAfter = 24;
// longest name of a field or a parameter; a longer one is treated as a secret
constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestWord = 32;  // a longer word is hidden, because it may be a credential
constexpr std::size_t kLongestCharacter = 4;
constexpr std::size_t kShortestSecretWord = 3;
// more bytes than are shown are read, because secrets are replaced with shorter text
constexpr std::size_t kLookedThrough = 4 * RefusedRequests::kHead;
constexpr auto kNowhere = std::string_view::npos;

constexpr std::array<std::string_view, 12> kSecretWords{
    "auth", "cookie", "token", "key", "secret", "passw", "pwd", "credential", "session", "signature", "jwt", "ticket"};
constexpr std::array<std::string_view, 5> kSecretParameters{"code", "sig", "otp", "pin", "sid"};

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
bool ends_line(char c) noexcept { return c == '\r' || c == '\n'; }

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_control(char c) noexcept { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f'; }

/// Returns whether the word counts as an ordinary word and not as a credential, because it is short and has only
/// letters, "-" and "_".
bool is_plain_word(std::string_view word) noexcept {
  return !word.empty() && word.size() <= kLongestWord &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || c == '-' || c == '_'; });
}

bool are_plain_words(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    if (end > 0 && !is_plain_word(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// A head without its secrets, line by line. Each search ends at the end of its line or of its part of the line, so the
/// total time is linear in the length of the head.
class HeadExcerpt {
 public:
  HeadExcerpt(std::string_view bytes, std::size_t fault, const identity::IdentityOptions& identity)
      : bytes_(bytes), fault_(fault), identity_(identity) {}

  /// Shows the head from `from`, the beginning of a line, until `most` bytes are shown, or enough bytes after the
  /// fault. Returns whether the whole head is shown.
  bool show(std::size_t from, std::size_t most) {
    for (auto at = from; at < bytes_.size(); at = line_end(at)) {
      if (out_.size() >= most || (place_ != kNowhere && out_.size() > place_ + kAfter + kLongestCharacter))
        return false;
      const auto end = line_end(at);
      auto text_end = end;
      while (text_end > at && ends_line(bytes_[text_end - 1])) --text_end;
      if (text_end == at && at > 0) return copy(at, end), true;  // this is the empty line after the head
      if (at == 0)
        first_line(at, text_end);
      else
        field(at, text_end);
      copy(text_end, end);
    }
    return true;
  }

  const std::string& text() const noexcept { return out_; }
  std::size_t place() const noexcept { return place_; }  ///< the position of the fault in the text
  bool hides_fault() const noexcept { return hidden_; }

 private:
  /// Returns the position after the line and its line end, which is CR LF, CR or LF.
  std::size_t line_end(std::size_t at) const {
    const auto end = bytes_.find_first_of("\r\n", at);
    if (end == kNowhere) return bytes_.size();
    return bytes_.substr(end).starts_with("\r\n") ? end + 2 : end + 1;
  }

  /// Returns the place of the first of `marks` in a part, or the end of the part.
  std::size_t first_of(std::string_view marks, std::size_t from, std::size_t to) const {
    return std::min(bytes_.substr(0, to).find_first_of(marks, from), to);
  }
  std::string_view part(std::size_t from, std::size_t to) const { return bytes_.substr(from, to - from); }

  void copy(std::size_t from, std::size_t to) {
    if (fault_ >= from && fault_ < to) place_ = out_.size() + (fault_ - from);
    out_ += part(from, to);
  }

  void hide(std::size_t from, std::size_t to) {
    if (from == to) return;
    if (fault_ >= from && fault_ < to) place_ = out_.size(), hidden_ = true;
    out_ += kSecret;
  }

  /// Returns whether the name is the name of a secret, whatever marks are between its letters and digits.
  static bool is_secret(std::string_view name) {
    if (name.size() > kLongestName) return true;
    std::array<char, kLongestName> room{};
    std::size_t size = 0;
    for (const char c : name) {
      if (c >= 'A' && c <= 'Z') room[size++] = static_cast<char>(c + 32);
      if ((c >= 'a' && c <= 'z') || is_digit(c)) room[size++] = c;
    }
    const std::string_view plain(room.data(), size);
    if (size < kShortestSecretWord) return false;
    const auto in_name = [&](std::string_view word) { return plain.find(word) != kNowhere; };
    return std::any_of(kSecretWords.begin(), kSecretWords.end(), in_name);
  }

  bool is_secret_field(std::string_view name) const {
    const auto& jwt = identity_.jwt;
    const auto& keys = identity_.api_key.headers;
    return is_secret(name) || (jwt && http::same_word(name, jwt->header)) ||
           std::any_of(keys.begin(), keys.end(), [&](const auto& each) { return http::same_word(name, each); });
  }

  bool is_secret_parameter(std::string_view name) const {
    const auto& jwt = identity_.jwt;
    if (is_secret(name) || name.find('%') != kNowhere || name == identity_.api_key.query) return true;
    if (jwt && !jwt->query.empty() && name == jwt->query) return true;
    return std::any_of(kSecretParameters.begin(), kSecretParameters.end(),
                       [&](std::string_view each) { return http::same_word(name, each); });
  }

  /// Returns whether a parameter's value is an address with a user in it, or has secret parameters of its own.
  static bool has_secret(std::string_view value) {
    const auto has = [&](std::initializer_list<std::string_view> any) {
      return std::any_of(any.begin(), any.end(), [&](std::string_view one) { return value.find(one) != kNowhere; });
    };
    if (has({"@", "%40"}) && has({":", "%3a", "%3A"})) return true;
    return has({"=", "%3d", "%3D"}) && is_secret(value);
  }

  /// Shows a text that may contain an address: its user and some of its parameters are hidden.
  void address(std::size_t from, std::size_t to) {
    const auto query = first_of("?&;#", from, to);
    auto at = from;
    while (at < query) {
      const auto end = first_of("/", at, query);
      const auto host = part(at, end);
      const auto user_end = host.rfind('@');
      const bool behind_scheme = at >= from + 2 && part(at - 2, at) == "//";
      // A password may contain '?' and other characters that otherwise begin the parameters.
      if (behind_scheme && end == query && user_end == kNowhere &&
          part(query, first_of("/", query, to)).find('@') != kNowhere)
        return hide(at, to);
      const bool hides = user_end != kNowhere && (behind_scheme || host.substr(0, user_end).find(':') != kNowhere);
      if (hides) {
        const auto blank = host.substr(0, user_end).find_last_of(" \t,<\"'");
        const auto user = blank == kNowhere ? at : at + blank + 1;
        copy(at, user);
        hide(user, at + user_end);
        at += user_end;
      }
      const auto next = std::min(end + 1, query);
      copy(at, next);
      at = next;
    }
    parameters(query, to);
  }

  void parameters(std::size_t at, std::size_t to) {
    while (at < to) {
      auto name = at + 1;  // the name begins after '?', '&', ';' or '#'
      const auto end = first_of("?&;#", name, to);
      const auto equals = first_of("=", name, end);
      while (name < equals && is_blank(bytes_[name])) ++name;
      const auto value = std::min(equals + 1, end);
      if (part(name, equals).find('@') != kNowhere) {
        copy(at, name);
        hide(name, end);
      } else {
        copy(at, value);
        const bool secret = value < end && (is_secret_parameter(part(name, equals)) || has_secret(part(value, end)));
        secret ? hide(value, end) : copy(value, end);
      }
      at = end;
    }
  }

  /// Shows the method if the word can be one. Otherwise the word may be the end of an earlier body whose announced
  /// length was wrong.
  void first_line(std::size_t from, std::size_t to) {
    auto at = from;
    while (at < to && is_control(bytes_[at])) ++at;
    copy(from, at);
    const auto word_end = first_of(" \t", at, to);
    const auto word = part(at, word_end);
    const auto version = bytes_.substr(0, to).rfind(" HTTP/");
    const auto target_end = version == kNowhere || version < word_end ? to : version;
    if (is_plain_word(word) && word.find_first_of("-_") == kNowhere)
      copy(at, word_end);
    else if (word.starts_with('/') || word.starts_with('?') || word.find("://") != kNowhere)
      return address(at, target_end), show_version(target_end, to);
    else
      hide(at, word_end);
    address(word_end, target_end);
    show_version(target_end, to);
  }

  void show_version(std::size_t from, std::size_t to) {
    constexpr std::size_t kName = 6;           // length of " HTTP/"
    constexpr std::size_t kVersionNumber = 3;  // length of "1.1"
    auto at = std::min(from + kName, to);
    const auto most = std::min(at + kVersionNumber, to);
    while (at < most && (is_digit(bytes_[at]) || bytes_[at] == '.')) ++at;
    while (at < to && (is_blank(bytes_[at]) || is_control(bytes_[at]))) ++at;
    copy(from, at);
    hide(at, to);
  }

  /// Hides a line that is not a field, because it may be a part of a credential that was cut into lines.
  void no_field(std::size_t from, std::size_t to) {
    const auto word_end = first_of(": \t", from, to);
    const auto word = part(from, word_end);
    const bool known = is_plain_word(word) && http::known_field(word) != http::Known::unknown;
    if (known) copy(from, word_end);
    hide(known ? word_end : from, to);
  }

  /// Returns whether the text before a colon may be shown, even if it is not a valid name.
  static bool may_be_name(std::string_view name) {
    if (name.empty() || name.size() > kLongestName || name.find_first_of("=&?@/+,\"{}%") != kNowhere) return false;
    return name.find_first_of(" \t") == kNowhere || (are_plain_words(name) && !is_secret(name));
  }

  void field(std::size_t from, std::size_t to) {
    auto colon = first_of(":", from, to);
    const auto name = trimmed(part(from, colon));
    if (from == to || is_blank(bytes_[from]) || colon == to || !may_be_name(name)) return no_field(from, to);
    ++colon;
    while (colon < to && is_blank(bytes_[colon])) ++colon;
    copy(from, colon);
    if (is_secret_field(name) || is_credential(part(colon, to))) return hide(colon, to);
    if (http::same_word(name, "Host"))
      if (const auto user_end = part(colon, to).rfind('@'); user_end != kNowhere) {
        hide(colon, colon + user_end);
        colon += user_end;
      }
    address(colon, to);
  }

  static bool is_credential(std::string_view value) {
    const auto scheme = value.substr(0, value.find_first_of(" \t"));
    return scheme.size() < value.size() && (http::same_word(scheme, "Bearer") || http::same_word(scheme, "Basic"));
  }

  std::string_view bytes_;
  std::size_t fault_;
  const identity::IdentityOptions& identity_;
  std::string out_;
  std::size_t place_ = kNowhere;
  bool hidden_ = false;
};

/// Returns the beginning of the line that contains `at`.
std::size_t line_of(std::string_view bytes, std::size_t at) {
  // both characters of a line end belong to the line that they end
  if (at > 0 && at < bytes.size() && bytes[at] == '\n') --at;
  if (at > 0 && at < bytes.size() && bytes[at] == '\r') --at;
  const auto before = bytes.substr(0, at + 1).find_last_of("\r\n");
  return before == kNowhere ? 0 : before + 1;
}

}  // namespace

void show_refused_head(std::string_view bytes, std::optional<std::size_t> fault,
                       const identity::IdentityOptions& identity, RefusedRequest& out) {
  const auto front = bytes.substr(0, kLookedThrough);
  HeadExcerpt head(front, kNowhere, identity);
  const bool whole = head.show(0, RefusedRequests::kHead);
  out.cut = !whole || (front.size() < bytes.size() && front.find("\r\n\r\n") == kNowhere) ||
            head.text().size() > RefusedRequests::kHead;
  out.head = head.text().substr(0, RefusedRequests::kHead);
  if (!fault || *fault > bytes.size()) return;
  out.byte = *fault;
  // Later text can show that earlier text is a secret, such as the '@' after a user.
  const auto until = std::min(bytes.size(), *fault + kLookedThrough);
  HeadExcerpt line(bytes.substr(0, until), *fault, identity);
  const auto begin = line_of(bytes.substr(0, until), *fault);
  line.show(begin, kNowhere);
  const auto& text = line.text();
  const auto place = std::min(line.place(), text.size());
  auto from = place - std::min(place, kBefore);
  // do not begin in the middle of a character
  while (from < place && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80) ++from;
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
