#include "blackbox/harness/message.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace headgate::test {
namespace {

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// Splits "name: value" strictly. False if it is no field line.
bool parse_field(std::string_view line, Field& field) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  for (const char c : value) {
    if ((static_cast<unsigned char>(c) < 32 && c != '\t') || c == 127) return false;
  }
  field = {std::string(line.substr(0, colon)), std::string(value)};
  return true;
}

/// A whole number of digits only.
bool parse_number(std::string_view text, std::size_t& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string why(Got got, std::string_view where) {
  std::string text = got == Got::end ? "closed" : got == Got::reset ? "reset" : "nothing more came";
  return text + " " + std::string(where);
}

}  // namespace

int Message::status() const {
  std::size_t number = 0;
  if (!start_line.starts_with("HTTP/1.") || start_line.size() < 12) return -1;
  return parse_number(std::string_view(start_line).substr(9, 3), number, 10) ? static_cast<int>(number) : -1;
}

std::string Message::reason() const { return start_line.size() > 13 ? start_line.substr(13) : ""; }

std::string Message::method() const { return start_line.substr(0, start_line.find(' ')); }

std::string Message::target() const {
  const auto first = start_line.find(' ');
  return first == std::string::npos ? "" : start_line.substr(first + 1, start_line.rfind(' ') - first - 1);
}

std::size_t Message::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(), [&](const Field& field) { return same_name(field.name, name); }));
}

std::string Message::value(std::string_view name) const {
  for (const auto& field : fields) {
    if (same_name(field.name, name)) return field.value;
  }
  return "";
}

std::string Message::all(std::string_view name) const {
  std::string joined;
  for (const auto& field : fields) {
    if (same_name(field.name, name)) joined += (joined.empty() ? "" : ", ") + field.value;
  }
  return joined;
}

std::string Message::trailer(std::string_view name) const {
  for (const auto& field : trailers) {
    if (same_name(field.name, name)) return field.value;
  }
  return "";
}

Message MessageReader::read_head(Milliseconds timeout) {
  Message message;
  std::string line;
  const auto take = [&] {
    if (!read_line(message, line, timeout)) {
      message.error += message.head.empty() ? " before a message" : " within a head";
      return false;
    }
    message.head += line + "\r\n";
    return true;
  };
  if (!take()) return message;
  message.start_line = line;
  while (take() && !line.empty()) {
    Field field;
    if (!parse_field(line, field)) {
      message.error = "not a field: " + visible(line);
      break;
    }
    message.fields.push_back(std::move(field));
  }
  return message;
}

void MessageReader::read_body(Message& message, Kind kind, Milliseconds timeout,
                              std::function<void(std::size_t)> arrived) {
  if (!message.ok()) return;
  arrived_ = std::move(arrived);
  const int status = message.status();
  if (kind != Kind::request && (status < 200 || status == 204 || status == 304)) return;
  if (kind == Kind::answer_to_head) return;
  const bool chunked = message.has("Transfer-Encoding");
  if (chunked && (message.all("Transfer-Encoding") != "chunked" || message.has("Content-Length"))) {
    message.error = "framed as nobody should: " + visible(message.head);
  } else if (chunked) {
    read_chunks(message, timeout);
  } else if (message.has("Content-Length")) {
    std::size_t bytes = 0;
    if (!parse_number(message.all("Content-Length"), bytes, 10)) {
      message.error = "not a length: " + message.all("Content-Length");
    } else {
      read_exactly(message, bytes, timeout);
      message.body = message.framed_body;
    }
  } else if (kind == Kind::answer) {
    read_until_close(message, timeout);
  }
}

bool MessageReader::more(Message& message, Milliseconds timeout) {
  const Got got = socket_->receive(ahead_, timeout);
  if (got != Got::bytes) message.error = why(got, "");
  if (got != Got::bytes) message.error.pop_back();
  return got == Got::bytes;
}

bool MessageReader::read_line(Message& message, std::string& line, Milliseconds timeout) {
  std::size_t searched = 0;
  std::size_t end = 0;
  while ((end = ahead_.find('\n', searched)) == std::string::npos) {
    searched = ahead_.size();
    if (!more(message, timeout)) return false;
  }
  line = ahead_.substr(0, end);
  ahead_.erase(0, end + 1);
  if (line.empty() || line.back() != '\r') {
    message.error = "a line ends in a bare LF: " + visible(line);
    return false;
  }
  line.pop_back();
  return true;
}

bool MessageReader::read_exactly(Message& message, std::size_t bytes, Milliseconds timeout) {
  while (bytes > 0) {
    if (ahead_.empty() && !more(message, timeout)) {
      message.error += " within a body";
      return false;
    }
    const std::size_t take = std::min(bytes, ahead_.size());
    message.framed_body.append(ahead_, 0, take);
    ahead_.erase(0, take);
    bytes -= take;
    if (arrived_) arrived_(take);
  }
  return true;
}

void MessageReader::read_chunks(Message& message, Milliseconds timeout) {
  std::string line;
  while (true) {
    std::size_t bytes = 0;
    if (!read_line(message, line, timeout)) return void(message.error += " at a chunk's size");
    message.framed_body += line + "\r\n";
    if (!parse_number(line, bytes, 16)) return void(message.error = "not a chunk's size: " + visible(line));
    if (bytes == 0) break;
    const std::size_t start = message.framed_body.size();
    if (!read_exactly(message, bytes, timeout)) return;
    message.body.append(message.framed_body, start, bytes);
    if (!read_line(message, line, timeout)) return void(message.error += " after a chunk");
    message.framed_body += line + "\r\n";
    if (!line.empty()) return void(message.error = "a chunk is longer than it said");
  }
  while (true) {
    if (!read_line(message, line, timeout)) return void(message.error += " within trailers");
    message.framed_body += line + "\r\n";
    if (line.empty()) return;
    Field field;
    if (!parse_field(line, field)) return void(message.error = "not a trailer: " + visible(line));
    message.trailers.push_back(std::move(field));
  }
}

void MessageReader::read_until_close(Message& message, Milliseconds timeout) {
  Got got = Got::bytes;
  while (got == Got::bytes) got = socket_->receive(ahead_, timeout);
  message.framed_body = std::exchange(ahead_, "");
  message.body = message.framed_body;
  if (got != Got::end) message.error = why(got, "where only a close ends the body");
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char left, unsigned char right) { return std::tolower(left) == std::tolower(right); });
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    std::size_t value = 0;
    parse_number(text.substr(i, 2), value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::string pattern(std::size_t bytes) {
  std::string text;
  text.reserve(bytes + 16);
  while (text.size() < bytes) {
    text += std::to_string(text.size());
    // Read large bodies in larger steps, so that a test of fifty megabytes stays fast.
    text.append(text.size() < 100'000 ? 1 : 1000, '.');
  }
  text.resize(bytes);
  return text;
}

std::string visible(std::string_view bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 1500)) {
    if (c == '\r') {
      text += "\\r";
    } else if (c == '\n') {
      text += "\\n\n";
    } else if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) {
      text += "\\x" + to_hex(std::string_view(&c, 1));
    } else {
      text += c;
    }
  }
  return bytes.size() > 1500 ? text + "... (" + std::to_string(bytes.size()) + " bytes)" : text;
}

}  // namespace headgate::test
