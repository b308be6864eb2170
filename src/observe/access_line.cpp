#include "access_line.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace headgate::observe {
namespace {

void append_time(std::string& out, Instant at) {
  const auto since = at.time_since_epoch().count();
  const std::time_t seconds = since / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  size += static_cast<std::size_t>(
      std::snprintf(text.data() + size, text.size() - size, ".%06dZ", static_cast<int>(since % 1'000'000)));
  out.append(text.data(), size);
}

/// Milliseconds with three decimals, from microseconds.
std::string milliseconds(Duration duration) {
  std::array<char, 32> text{};
  const auto size =
      std::snprintf(text.data(), text.size(), "%lld.%03lld", static_cast<long long>(duration.count() / 1000),
                    static_cast<long long>(duration.count() % 1000));
  return {text.data(), static_cast<std::size_t>(size)};
}

class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  ~Object() { out_ += '}'; }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  void text(std::string_view name, std::string_view value) {
    begin(name);
    out_ += '"';
    append_json_text(out_, value);
    out_ += '"';
  }
  void plain(std::string_view name, std::string_view value) {
    begin(name);
    out_ += value;
  }
  void number(std::string_view name, std::uint64_t value) { plain(name, std::to_string(value)); }

 private:
  void begin(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }
  std::string& out_;
};

std::string protocol(unsigned version) { return version == 10 ? "HTTP/1.0" : "HTTP/1.1"; }

/// The same key has the same id as long as this process lives; the key itself is not in it.
std::string key_id(std::string_view key) {
  std::array<char, 16> text{};
  const auto size =
      std::snprintf(text.data(), text.size(), "k_%08x", static_cast<unsigned>(keyed_hash(key, 0).low & 0xffffffffu));
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

void append_json_line(const AccessRecord& record, Instant at, std::string& out) {
  Object line(out);
  std::string time;
  append_time(time, at);
  line.text("ts", time);
  line.text("level", "info");
  line.text("event", "request");
  line.text("request_id", record.request_id);
  line.text("client_ip", record.address.to_string());
  line.text("method", record.method);
  line.text("host", record.host);
  line.text("path", record.path);
  line.text("proto", protocol(record.version));
  line.number("status", record.status);
  line.text("ended_by", record.ended_by);
  line.text("route", record.route);
  line.text("upstream", record.upstream);
  line.text("server", record.server);
  if (!record.reason.empty()) line.text("reason", record.reason);
  line.number("attempts", record.attempts);
  line.number("in_bytes", record.in_bytes);
  line.number("out_bytes", record.out_bytes);
  line.plain("ms", milliseconds(record.elapsed));
  line.plain("upstream_ms", milliseconds(record.upstream_elapsed));
  if (!record.auth.empty()) line.text("auth", record.auth);
  if (!record.limit.empty()) {
    line.text("limit", record.limit);
    if (!record.key.empty()) line.text("key_id", key_id(record.key));
    line.text("decision", record.decision);
    line.number("remaining", record.remaining);
    if (record.retry_after.count() > 0)
      line.number("retry_after_s", static_cast<std::uint64_t>((record.retry_after.count() + 999'999) / 1'000'000));
    line.text("source", record.source);
  }
  line.text("user_agent", record.user_agent);
}

void append_text_line(const AccessRecord& record, Instant at, std::string& out) {
  append_time(out, at);
  out += ' ';
  out += record.address.to_string();
  out += ' ';
  out += std::to_string(record.status);
  out += ' ';
  append_json_text(out, record.method.empty() ? "-" : record.method);
  out += ' ';
  append_json_text(out, record.host);
  append_json_text(out, record.path.empty() ? "-" : record.path);
  out += ' ';
  out += milliseconds(record.elapsed);
  out += "ms route=";
  append_json_text(out, record.route);
  out += " by=";
  out += record.ended_by;
  if (!record.server.empty()) {
    out += " server=";
    out += record.server;
  }
  if (!record.reason.empty()) {
    out += " reason=\"";
    append_json_text(out, record.reason);
    out += '"';
  }
  if (!record.auth.empty()) {
    out += " auth=";
    out += record.auth;
  }
  if (!record.limit.empty()) {
    out += " limit=";
    out += record.limit;
    out += ' ';
    out += record.decision;
  }
  out += " id=";
  out += record.request_id;
}

void append_json_event(std::string_view message, std::string_view level, Instant at, std::string& out) {
  Object line(out);
  std::string time;
  append_time(time, at);
  line.text("ts", time);
  line.text("level", level);
  while (!message.empty()) {
    const auto space = message.find(' ');
    const auto word = message.substr(0, space);
    const auto equals = word.find('=');
    constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const auto name = word.substr(0, std::min(equals, word.size()));
    const bool named = equals != std::string_view::npos && !name.empty() &&
                       name.find_first_not_of(kNameLetters) == std::string_view::npos;
    if (!named || name == "ts" || name == "level") break;
    line.text(name, word.substr(equals + 1));
    message.remove_prefix(space == std::string_view::npos ? message.size() : space + 1);
  }
  if (!message.empty()) line.text("message", message);
}

void append_text_event(std::string_view message, std::string_view level, Instant at, std::string& out) {
  append_time(out, at);
  out += ' ';
  out += level;
  out += ' ';
  constexpr std::string_view kEvent = "event=";
  if (message.starts_with(kEvent)) {
    const auto space = std::min(message.find(' '), message.size());
    const auto rest = message.substr(std::min(space + 1, message.size()));
    const bool fields = rest.substr(0, rest.find(' ')).find('=') != std::string_view::npos;
    message = fields || rest.empty() ? message.substr(kEvent.size()) : rest;
  }
  // A reason given by a peer must not begin a line of its own.
  for (const char c : message) out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
}

}  // namespace headgate::observe
