#include "access_line.hpp"

#include "words.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/text_cursor.hpp"

#include <algorithm>
#include <array>

namespace headgate::observe {
namespace {

/// How many bytes of texts from the caller are logged. A byte may need six when escaped.
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxAgent = 1024;
constexpr std::size_t kMaxWord = 512;
constexpr std::string_view kEllipsis = "...";

/// Names, numbers, an address and a time.
constexpr std::size_t kMaxOfTheRest = 1024;

constexpr std::string_view protocol(unsigned version) noexcept { return version == 10 ? "HTTP/1.0" : "HTTP/1.1"; }

std::uint64_t count_of(Duration duration) noexcept {
  return static_cast<std::uint64_t>(duration.count() > 0 ? duration.count() : 0);
}

std::uint64_t seconds_up(Duration duration) noexcept { return (count_of(duration) + 999'999) / 1'000'000; }

void write_address(TextCursor& out, const boost::asio::ip::address& address) {
  if (!address.is_v4()) return out.text(address.to_string());
  const auto bytes = address.to_v4().to_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out.character('.');
    out.number(bytes[i]);
  }
}

/// The id of a key: the same wherever the same secret is configured. It does not contain the key.
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

/// The logged part of a text from the caller.
void write_told(TextCursor& out, std::string_view text, std::size_t most) noexcept {
  write_json_text(out, text.substr(0, most));
  if (text.size() > most) out.text(kEllipsis);
}

/// The most bytes that all texts of a line may need.
std::size_t most_of(const AccessRecord& record, const LogOptions& options) noexcept {
  std::size_t told = std::min(record.path.size(), kMaxPath) + std::min(record.user_agent.size(), kMaxAgent);
  for (const auto text :
       {record.request_id, record.trace_id, record.method, record.host, record.ended_by, record.route, record.upstream, record.server,
        record.reason, record.retried, record.auth, record.limit, record.tier, record.decision, record.source})
    told += std::min(text.size(), kMaxWord) + kEllipsis.size();
  for (std::size_t i = 0; i < record.callers.size(); ++i)
    told += options.callers[i].size() + std::min(record.callers[i].size(), kMaxWord) + 2 * kEllipsis.size();
  return kMaxOfTheRest + kMaxJsonBytes * (told + options.instance.size());
}

/// The name of a member with its punctuation: `,"name":`.
template <std::size_t size>
struct Name {
  std::array<char, size + 3> text{};
  consteval Name(const char (&name)[size]) {  // NOLINT(google-explicit-constructor): it is one
    auto* at = text.data();
    *at++ = ',';
    *at++ = '"';
    at = std::copy_n(name, size - 1, at);
    *at++ = '"';
    *at = ':';
  }
};

/// The members of a JSON object after the first.
class Members {
 public:
  explicit Members(TextCursor& out) noexcept : out_(out) {}

  template <Name name>
  void text(std::string_view value, std::size_t most = kMaxWord) noexcept {
    begin<name>();
    out_.character('"');
    write_told(out_, value, most);
    out_.character('"');
  }
  /// A text of our own, which is short and needs no escape.
  template <Name name>
  void own(std::string_view value) noexcept {
    begin<name>();
    out_.character('"');
    out_.text(value);
    out_.character('"');
  }
  /// Writes nothing if it is empty.
  template <Name name>
  void some(std::string_view value) noexcept {
    if (!value.empty()) text<name>(value);
  }
  template <Name name>
  void number(std::uint64_t value) noexcept {
    begin<name>();
    out_.number(value);
  }
  template <Name name>
  void thousandths(std::uint64_t value) noexcept {
    begin<name>();
    write_thousandths(out_, value);
  }

 private:
  template <Name name>
  void begin() noexcept {
    std::memcpy(out_.at(), name.text.data(), name.text.size());
    out_.at(out_.at() + name.text.size());
  }

  TextCursor& out_;
};

void write_limit(Members& line, const AccessRecord& record, const LogOptions& options) noexcept {
  if (record.limit.empty()) return;
  line.text<"limit">(record.limit);
  line.some<"tier">(record.tier);
  if (!record.key.empty()) line.own<"key_id">(KeyId(record.key, options).text());
  line.own<"decision">(record.decision);
  line.number<"cost">(static_cast<std::uint64_t>(record.cost > 0 ? record.cost : 0));
  line.number<"remaining">(record.remaining);
  if (record.retry_after.count() > 0) line.number<"retry_after_s">(seconds_up(record.retry_after));
  line.own<"source">(record.source);
}

void write_json(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at) {
  out.word("{\"ts\":\"");
  write_time(out, at);
  out.word("\",\"level\":\"info\",\"instance\":\"");
  write_json_text(out, options.instance);
  out.word("\",\"event\":\"request\",\"request_id\":\"");
  write_told(out, record.request_id, kMaxWord);
  Members line(out);
  out.character('"');
  line.some<"trace_id">(record.trace_id);
  out.word(",\"client_ip\":\"");
  write_address(out, record.address);
  out.character('"');
  line.text<"method">(record.method);
  line.text<"host">(record.host);
  line.text<"path">(record.path, kMaxPath);
  line.own<"proto">(protocol(record.version));
  line.number<"status">(record.status);
  line.own<"ended_by">(record.ended_by);
  line.text<"route">(record.route);
  line.text<"upstream">(record.upstream);
  line.text<"server">(record.server);
  line.some<"reason">(record.reason);
  line.number<"attempts">(record.attempts);
  line.some<"retried">(record.retried);
  line.number<"in_bytes">(record.in_bytes);
  line.number<"out_bytes">(record.out_bytes);
  line.thousandths<"ms">(count_of(record.elapsed));
  line.thousandths<"upstream_ms">(count_of(record.upstream_elapsed));
  if (record.queued > Duration(0)) line.thousandths<"queued_ms">(count_of(record.queued));
  line.some<"tls">(record.tls);
  line.some<"auth">(record.auth);
  write_limit(line, record, options);
  for (std::size_t i = 0; i < record.callers.size(); ++i) {
    if (record.callers[i].empty()) continue;
    out.word(",\"");
    write_json_text(out, options.callers[i]);
    out.word("\":\"");
    write_told(out, record.callers[i], kMaxWord);
    out.character('"');
  }
  line.text<"user_agent">(record.user_agent, kMaxAgent);
  out.character('}');
}

/// " name=value"; nothing if the value is empty.
void write_field(TextCursor& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out.character(' ');
  out.text(name);
  out.character('=');
  if (value.size() <= kMaxWord) return write_value(out, value);
  std::string cut(value.substr(0, kMaxWord));
  write_value(out, cut += kEllipsis);
}

void write_text(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at) {
  write_time(out, at);
  out.character(' ');
  write_address(out, record.address);
  out.character(' ');
  out.number(record.status);
  out.character(' ');
  write_told(out, record.method.empty() ? std::string_view("-") : record.method, kMaxWord);
  out.character(' ');
  write_told(out, record.host, kMaxWord);
  write_told(out, record.path.empty() ? std::string_view("-") : record.path, kMaxPath);
  out.character(' ');
  write_thousandths(out, count_of(record.elapsed));
  out.word("ms route=");
  write_told(out, record.route, kMaxWord);
  out.word(" by=");
  out.text(record.ended_by.substr(0, kMaxWord));
  write_field(out, "server", record.server);
  write_field(out, "reason", record.reason);
  write_field(out, "retried", record.retried);
  write_field(out, "tls", record.tls);
  write_field(out, "auth", record.auth);
  if (!record.limit.empty()) {
    write_field(out, "limit", record.limit);
    write_field(out, "tier", record.tier);
    out.character(' ');
    out.text(record.decision.substr(0, kMaxWord));
    if (record.cost != 1) {
      out.word(" cost=");
      out.number(static_cast<std::uint64_t>(record.cost > 0 ? record.cost : 0));
    }
    if (record.retry_after.count() > 0) {
      out.word(" retry_after=");
      out.number(seconds_up(record.retry_after));
      out.character('s');
    }
  }
  for (std::size_t i = 0; i < record.callers.size(); ++i) write_field(out, options.callers[i], record.callers[i]);
  out.word(" id=");
  write_told(out, record.request_id, kMaxWord);
  write_field(out, "trace", record.trace_id);
}

}  // namespace

void append_json_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out) {
  append_text(out, most_of(record, options), [&](TextCursor& line) { write_json(line, record, options, at); });
}

void append_text_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out) {
  append_text(out, most_of(record, options), [&](TextCursor& line) { write_text(line, record, options, at); });
}

}  // namespace headgate::observe
