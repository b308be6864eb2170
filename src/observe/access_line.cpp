#include "access_line.hpp"

#include "json_object.hpp"
#include "words.hpp"

#include <array>

namespace headgate::observe {
namespace {

/// How much is told of what a caller chose. Escaped, a byte may become six.
constexpr std::size_t kMostPath = 4096;
constexpr std::size_t kMostAgent = 1024;
constexpr std::size_t kMostWord = 512;

constexpr std::string_view protocol(unsigned version) noexcept { return version == 10 ? "HTTP/1.0" : "HTTP/1.1"; }

std::uint64_t count_of(Duration duration) noexcept {
  return static_cast<std::uint64_t>(duration.count() > 0 ? duration.count() : 0);
}

std::uint64_t seconds_up(Duration duration) noexcept { return (count_of(duration) + 999'999) / 1'000'000; }

void append_address(std::string& out, const boost::asio::ip::address& address) {
  if (!address.is_v4()) {
    out += address.to_string();
    return;
  }
  const auto bytes = address.to_v4().to_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out += '.';
    append_number(out, bytes[i]);
  }
}

/// The same key has the same id wherever the same secret is configured; the key itself is not in it.
class KeyId {
 public:
  KeyId(std::string_view key, const LogOptions& options) noexcept {
    constexpr std::string_view kDigits = "0123456789abcdef";
    auto digest = keyed_digest(key, *options.key);
    for (std::size_t i = text_.size(); i > 2; --i, digest >>= 4) text_[i - 1] = kDigits[digest & 15];
  }
  std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

 private:
  std::array<char, 18> text_{'k', '_'};
};

/// What a caller chose, as far as it is told.
class Told {
 public:
  Told(std::string_view text, std::size_t most) : text_(text) {
    if (text.size() <= most) return;
    cut_ = std::string(text.substr(0, most)) + "...";
    text_ = cut_;
  }
  operator std::string_view() const noexcept { return text_; }  // NOLINT(google-explicit-constructor): it is one

 private:
  std::string cut_;
  std::string_view text_;
};

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out += ' ';
  out += name;
  out += '=';
  append_value(out, Told(value, kMostWord));
}

}  // namespace

void append_json_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out) {
  JsonObject line(out);
  const auto some = [&line](std::string_view name, std::string_view value) {
    if (!value.empty()) line.text(name, Told(value, kMostWord));
  };
  line.time("ts", at);
  line.plain("level", "\"info\"");
  line.text("instance", options.instance);
  line.plain("event", "\"request\"");
  line.text("request_id", Told(record.request_id, kMostWord));
  std::string& text = out;
  line.plain("client_ip", "\"");
  append_address(text, record.address);
  text += '"';
  line.text("method", Told(record.method, kMostWord));
  line.text("host", Told(record.host, kMostWord));
  line.text("path", Told(record.path, kMostPath));
  line.text("proto", protocol(record.version));
  line.number("status", record.status);
  line.text("ended_by", record.ended_by);
  line.text("route", Told(record.route, kMostWord));
  line.text("upstream", record.upstream);
  line.text("server", record.server);
  some("reason", record.reason);
  line.number("attempts", record.attempts);
  line.number("in_bytes", record.in_bytes);
  line.number("out_bytes", record.out_bytes);
  line.thousandths("ms", count_of(record.elapsed));
  line.thousandths("upstream_ms", count_of(record.upstream_elapsed));
  some("auth", record.auth);
  if (!record.limit.empty()) {
    some("limit", record.limit);
    some("tier", record.tier);
    if (!record.key.empty()) line.text("key_id", KeyId(record.key, options).text());
    line.text("decision", record.decision);
    line.number("cost", static_cast<std::uint64_t>(record.cost > 0 ? record.cost : 0));
    line.number("remaining", record.remaining);
    if (record.retry_after.count() > 0) line.number("retry_after_s", seconds_up(record.retry_after));
    line.text("source", record.source);
  }
  for (std::size_t i = 0; i < record.callers.size(); ++i) some(options.callers[i], record.callers[i]);
  line.text("user_agent", Told(record.user_agent, kMostAgent));
}

void append_text_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out) {
  append_time(out, at);
  out += ' ';
  append_address(out, record.address);
  out += ' ';
  append_number(out, record.status);
  out += ' ';
  append_json_text(out, record.method.empty() ? std::string_view("-") : Told(record.method, kMostWord));
  out += ' ';
  append_json_text(out, Told(record.host, kMostWord));
  append_json_text(out, record.path.empty() ? std::string_view("-") : Told(record.path, kMostPath));
  out += ' ';
  append_thousandths(out, count_of(record.elapsed));
  out += "ms route=";
  append_json_text(out, Told(record.route, kMostWord));
  out += " by=";
  out += record.ended_by;
  append_field(out, "server", record.server);
  append_field(out, "reason", record.reason);
  append_field(out, "auth", record.auth);
  if (!record.limit.empty()) {
    append_field(out, "limit", record.limit);
    append_field(out, "tier", record.tier);
    out += ' ';
    out += record.decision;
    if (record.cost != 1) {
      out += " cost=";
      append_number(out, static_cast<std::uint64_t>(record.cost > 0 ? record.cost : 0));
    }
    if (record.retry_after.count() > 0) {
      out += " retry_after=";
      append_number(out, seconds_up(record.retry_after));
      out += 's';
    }
  }
  for (std::size_t i = 0; i < record.callers.size(); ++i) append_field(out, options.callers[i], record.callers[i]);
  out += " id=";
  append_json_text(out, Told(record.request_id, kMostWord));
}

}  // namespace headgate::observe
