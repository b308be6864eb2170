// Makes journal entries from lines of the format `json`. Each field becomes a journal field, by which journalctl can
// search.

#include "output_datagrams.hpp"

#include "headgate/core/hex.hpp"

#include <algorithm>
#include <cstdint>

namespace headgate::observe {
namespace {

/// Reads JSON objects that headgate has written. They are flat, and the only escapes are quotes, backslashes and code
/// points.
class FlatObject {
 public:
  explicit FlatObject(std::string_view text) noexcept : rest_(text.substr(std::min<std::size_t>(1, text.size()))) {}

  /// Reads the next member. Returns false at the end.
  bool next(std::string& name, std::string& value) {
    if (rest_.starts_with(',')) rest_.remove_prefix(1);
    if (!rest_.starts_with('"')) return false;
    read_text(name);
    if (!rest_.starts_with(':')) return false;
    rest_.remove_prefix(1);
    if (rest_.starts_with('"')) {
      read_text(value);
    } else {
      const auto end = std::min(rest_.find_first_of(",}"), rest_.size());
      value = rest_.substr(0, end);
      rest_.remove_prefix(end);
    }
    return true;
  }

 private:
  void read_text(std::string& out) {
    out.clear();
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() != '\\' || rest_.size() < 2) {
        out += rest_.front();
        rest_.remove_prefix(1);
        continue;
      }
      const char letter = rest_[1];
      if (rest_.starts_with("\\u00") && rest_.size() >= 6) {
        out += static_cast<char>(std::max(hex_byte(rest_.substr(4)), 0));
        rest_.remove_prefix(6);
        continue;
      }
      // Any other escape of a code point is kept as text, because journalctl would otherwise show the character itself.
      if (letter == 'u') out += '\\';
      out += letter;  // Any other escape is a quote or a backslash.
      rest_.remove_prefix(2);
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

/// Appends a field. A value with a line break is preceded by its length, in eight bytes, the lowest first.
void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  if (value.find('\n') == value.npos) {
    out += '=';
  } else {
    out += '\n';
    for (std::size_t i = 0; i < 8; ++i) out += static_cast<char>(std::uint64_t{value.size()} >> (8 * i) & 0xff);
  }
  out += value;
  out += '\n';
}

/// Returns the name of a journal field for `name`: capitals, digits and '_', and at most 64 characters.
std::string journal_name(std::string_view name) {
  std::string out = "HEADGATE_";
  for (char c : name.substr(0, 64 - out.size())) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    out += (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  }
  return out;
}

/// The text that journalctl shows for an entry: "429 POST api.example.com/login limit" for a request, otherwise the
/// event and its message.
struct JournalText {
  std::string event, message, status, method, host, path, ended_by;

  std::string* of(std::string_view name) noexcept {
    if (name == "event") return &event;
    if (name == "message") return &message;
    if (name == "status") return &status;
    if (name == "method") return &method;
    if (name == "host") return &host;
    if (name == "path") return &path;
    if (name == "ended_by") return &ended_by;
    return nullptr;
  }
  std::string text() const {
    if (event != "request") return message.empty() ? event : event.empty() ? message : event + ": " + message;
    std::string out = status;
    for (const auto& piece : {method, host + path, ended_by})
      if (!piece.empty()) out += (out.empty() ? "" : " ") + piece;
    return out.empty() ? event : out;
  }
};

}  // namespace

void append_journal(int severity, std::string_view line, std::string& out) {
  append_field(out, "SYSLOG_IDENTIFIER", "headgate");
  append_field(out, "PRIORITY", std::to_string(severity));
  FlatObject members(line);
  std::string name, value;
  JournalText shown;
  while (members.next(name, value)) {
    if (auto* const part = shown.of(name)) *part = value;
    if (name != "message" && name != "level") append_field(out, journal_name(name), value);
  }
  append_field(out, "MESSAGE", shown.text());
}

}  // namespace headgate::observe
