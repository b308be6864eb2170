// Access lines in the format for people and in nginx's format.

#include "access_line.hpp"
#include "access_row.hpp"

#include <ctime>
#include <string>

namespace headgate::observe {
namespace {

void write_cut_value(TextCursor& out, std::string_view value, std::size_t most) {
  if (value.size() <= most) return write_value(out, value);
  std::string cut(whole_characters(value, most));
  write_value(out, cut += kEllipsis);
}

/// Writes " name=value"; writes nothing if the value is empty.
void write_field(TextCursor& out, std::string_view name, std::string_view value, std::size_t most = kMaxWord) {
  if (value.empty()) return;
  out.character(' ');
  out.text(name);
  out.character('=');
  write_cut_value(out, value, most);
}

/// Writes a query such as "?a=1&token=***"; writes nothing if no query is logged.
void write_query(TextCursor& out, const AccessRecord& record) {
  if (record.query.empty()) return;
  out.character('?');
  write_told(out, record.query, kMaxQuery);
}

void write_status(TextCursor& out, unsigned status, Coloured coloured) {
  // Colours by the first digit of the status: green, cyan, yellow and red; magenta for a request without an answer.
  constexpr std::array<char, 6> kColours{'5', '5', '2', '6', '3', '1'};
  if (coloured == Coloured::yes) {
    out.word("\x1b[3");
    out.character(kColours[std::min<std::size_t>(status / 100, kColours.size() - 1)]);
    out.character('m');
  }
  out.number(status);
  if (coloured == Coloured::yes) out.word("\x1b[0m");
}

/// Writes a row of this format: " name=value".
template <std::size_t at>
void write_word(TextCursor& out, const AccessLine& line) {
  using Word = WrittenField<LogFormat::text, at>;
  if constexpr (!Word::kName.empty()) {
    if constexpr (Word::kField.in_text)
      if (!(*Word::kField.in_text)(line.record)) return;
    const auto& value = Word::value(line);
    if constexpr (Word::kLeavesOutEmpty)
      if (is_empty(value)) return;
    out.word(Word::kBeginning);
    if constexpr (std::is_same_v<typename Word::Value, std::string_view> && !Word::kField.ours)
      write_cut_value(out, value, Word::kField.most);
    else
      Word::write(out, value);
    if constexpr (std::is_same_v<typename Word::Value, Duration>) out.word("ms");
    if constexpr (std::is_same_v<typename Word::Value, std::chrono::seconds>) out.character('s');
  }
}

template <std::size_t from, std::size_t... at>
void write_words(TextCursor& out, const AccessLine& line, std::index_sequence<at...>) {
  (write_word<from + at>(out, line), ...);
}

template <std::size_t from, std::size_t to>
void write_words(TextCursor& out, const AccessLine& line) {
  write_words<from>(out, line, std::make_index_sequence<to - from>());
}

/// Escapes as nginx does in its log: quotes, backslashes and bytes that are not printable ASCII become \xXX.
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

/// Writes the text in quotes, or "-" if it is empty.
void write_quoted(TextCursor& out, std::string_view text, std::size_t most) {
  out.character('"');
  if (text.empty()) out.character('-');
  write_escaped(out, text, most);
  out.character('"');
}

/// Writes a time such as "23/Nov/2026:05:30:12 +0000". Each thread caches the text of the last second.
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

/// Returns the status as nginx logs it. If there was no answer: 499 if the client disconnected, 408 if it was too slow.
unsigned combined_status(const AccessRecord& record) noexcept {
  if (record.status != 0) return record.status;
  return record.ended_by == "client_closed" ? 499 : record.ended_by == "timeout_client" ? 408 : 0;
}

}  // namespace

void write_text_line(TextCursor& out, const AccessLine& line, Coloured coloured) {
  const auto& record = line.record;
  write_time(out, line.at);
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
  out.text(record.ended_by);
  // The rows up to this one are written one by one, above and at the end.
  constexpr auto kTrace = *access_field("trace_id");
  write_words<kTrace + 1, kLimitRows>(out, line);
  if (!record.limit.empty()) write_words<kLimitRows, kRowsAfterLimit>(out, line);
  for (std::size_t i = 0; i < record.callers.size(); ++i) write_field(out, line.options.callers[i], record.callers[i]);
  each_named(record, [&](std::string_view word, std::string_view value, std::size_t most) {
    write_field(out, word, value, most);
  });
  write_words<kRowsAfterLimit, kRows>(out, line);
  out.word(" id=");
  write_told(out, record.request_id, kMaxWord);
  write_word<kTrace>(out, line);
}

void write_combined_line(TextCursor& out, const AccessLine& line) {
  const auto& record = line.record;
  write_address(out, record.address);
  out.word(" - - [");
  write_local_time(out, line.at);
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

}  // namespace headgate::observe
