// Access lines for people, and in nginx's format.

#include "access_line.hpp"
#include "access_members.hpp"

#include <ctime>

namespace headgate::observe {
namespace {

/// " name=value"; nothing if the value is empty.
void write_field(TextCursor& out, std::string_view name, std::string_view value, std::size_t most = kMaxWord) {
  if (value.empty()) return;
  out.character(' ');
  out.text(name);
  out.character('=');
  if (value.size() <= most) return write_value(out, value);
  std::string cut(whole_characters(value, most));
  write_value(out, cut += kEllipsis);
}

/// "?a=1&token=***"; nothing if no query is logged.
void write_query(TextCursor& out, const AccessRecord& record) {
  if (record.query.empty()) return;
  out.character('?');
  write_told(out, record.query, kMaxQuery);
}

/// " name=1.234ms"; nothing if there was none.
void write_wait(TextCursor& out, std::string_view name, Duration wait) {
  if (wait <= Duration(0)) return;
  out.character(' ');
  out.text(name);
  out.character('=');
  write_thousandths(out, count_of(wait));
  out.word("ms");
}

void write_status(TextCursor& out, unsigned status, Coloured coloured) {
  // Green, cyan, yellow and red by hundred; a request without an answer is magenta.
  constexpr std::array<char, 6> kColours{'5', '5', '2', '6', '3', '1'};
  if (coloured == Coloured::yes) {
    out.word("\x1b[3");
    out.character(kColours[std::min<std::size_t>(status / 100, kColours.size() - 1)]);
    out.character('m');
  }
  out.number(status);
  if (coloured == Coloured::yes) out.word("\x1b[0m");
}

void write_limit_words(TextCursor& out, const AccessRecord& record) {
  write_field(out, "limit", record.limit);
  write_field(out, "tier", record.tier);
  out.character(' ');
  out.text(record.decision.substr(0, kMaxWord));
  if (record.cost != 1) {
    out.word(" cost=");
    out.number(count_of(record.cost));
  }
  if (record.retry_after.count() > 0) {
    out.word(" retry_after=");
    out.number(seconds_up(record.retry_after));
    out.character('s');
  }
}

void write_text(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                std::uint64_t dropped, Coloured coloured) {
  write_time(out, at);
  out.character(' ');
  write_address(out, record.address);
  out.character(' ');
  write_status(out, record.status, coloured);
  out.character(' ');
  write_told(out, record.method.empty() ? std::string_view("-") : record.method, kMaxWord);
  out.character(' ');
  write_told(out, record.host, kMaxWord);
  write_told(out, record.path.empty() ? std::string_view("-") : record.path, kMaxPath);
  write_query(out, record);
  out.character(' ');
  write_thousandths(out, count_of(record.elapsed));
  out.word("ms route=");
  write_told(out, record.route, kMaxWord);
  out.word(" by=");
  out.text(record.ended_by.substr(0, kMaxWord));
  write_field(out, "grpc", record.grpc_status);
  write_field(out, "server", record.server);
  write_field(out, "reason", record.reason);
  write_field(out, "retried", record.retried);
  write_field(out, "compressed", record.compressed);
  write_wait(out, "delayed", record.delayed);
  write_wait(out, "queued", record.queued);
  write_field(out, "tls", record.tls);
  write_field(out, "auth", record.auth);
  if (!record.limit.empty()) write_limit_words(out, record);
  for (std::size_t i = 0; i < record.callers.size(); ++i) write_field(out, options.callers[i], record.callers[i]);
  each_named(record, [&](std::string_view word, std::string_view value, std::size_t most) {
    write_field(out, word, value, most);
  });
  if (dropped > 0) {
    out.word(" dropped=");
    out.number(dropped);
  }
  out.word(" id=");
  write_told(out, record.request_id, kMaxWord);
  write_field(out, "trace", record.trace_id);
}

/// As nginx escapes variables in a log: quotes, backslashes and what is not printable ASCII as \xXX.
void write_escaped(TextCursor& out, std::string_view text, std::size_t most) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      out.character(c);
      continue;
    }
    out.word("\\x");
    out.character(kDigits[byte >> 4]);
    out.character(kDigits[byte & 15]);
  }
  if (text.size() > most) out.text(kEllipsis);
}

/// "-" for what is not there.
void write_quoted(TextCursor& out, std::string_view text, std::size_t most) {
  out.character('"');
  if (text.empty()) out.character('-');
  write_escaped(out, text, most);
  out.character('"');
}

/// "23/Nov/2026:05:30:12 +0000"; each thread caches the text of the last second.
void write_local_time(TextCursor& out, Instant at) {
  constexpr std::int64_t kSecond = 1'000'000;
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  thread_local std::int64_t made_of = -1;
  thread_local std::tm parts{};
  if (const auto second = at.time_since_epoch().count() / kSecond; second != made_of) {
    const auto seconds = static_cast<std::time_t>(second);
    gmtime_r(&seconds, &parts);
    made_of = second;
  }
  const auto two = [&out](int number) { out.digits<2>(static_cast<std::uint64_t>(number)); };
  two(parts.tm_mday);
  out.character('/');
  out.text(kMonths[static_cast<std::size_t>(parts.tm_mon)]);
  out.character('/');
  out.number(parts.tm_year + 1900);
  for (const int part : {parts.tm_hour, parts.tm_min, parts.tm_sec}) {
    out.character(':');
    two(part);
  }
  out.word(" +0000");
}

/// The status as nginx logs it: 499 if the client went away before its answer.
unsigned combined_status(const AccessRecord& record) noexcept {
  if (record.status != 0) return record.status;
  return record.ended_by == "client_closed" ? 499 : record.ended_by == "timeout_client" ? 408 : 0;
}

void write_combined(TextCursor& out, const AccessRecord& record, Instant at) {
  write_address(out, record.address);
  out.word(" - - [");
  write_local_time(out, at);
  out.word("] \"");
  if (record.method.empty()) {
    out.character('-');
  } else {
    write_escaped(out, record.method, kMaxWord);
    out.character(' ');
    write_escaped(out, record.path, kMaxPath);
    if (!record.query.empty()) {
      out.character('?');
      write_escaped(out, record.query, kMaxQuery);
    }
    out.word(" HTTP/");
    out.text(http_version(record.version));
  }
  out.word("\" ");
  out.digits<3>(combined_status(record));
  out.character(' ');
  out.number(record.out_bytes);
  out.character(' ');
  write_quoted(out, record.referer.substr(0, record.referer.find_first_of("?#")), kMaxAgent);
  out.character(' ');
  write_quoted(out, record.user_agent, kMaxAgent);
}

}  // namespace

void write_text_line(TextCursor& out, const AccessRecord& record, const LogOptions& options, Instant at,
                     std::uint64_t dropped, Coloured coloured) {
  write_text(out, record, options, at, dropped, coloured);
}

void write_combined_line(TextCursor& out, const AccessRecord& record, Instant at) { write_combined(out, record, at); }

void append_text_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out,
                      std::uint64_t dropped, Coloured coloured) {
  append_text(out, most_of(record, options),
              [&](TextCursor& line) { write_text(line, record, options, at, dropped, coloured); });
}

void append_combined_line(const AccessRecord& record, const LogOptions& options, Instant at, std::string& out) {
  append_text(out, most_of(record, options), [&](TextCursor& line) { write_combined(line, record, at); });
}

}  // namespace headgate::observe
