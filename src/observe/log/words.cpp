#include "words.hpp"

#include "headgate/core/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace headgate::observe {

namespace {

constexpr std::size_t kMaxTime = 32;

}  // namespace

void write_time(TextCursor& out, Instant at) noexcept {
  constexpr std::int64_t kSecond = 1'000'000;
  thread_local std::int64_t made_of = -1;
  thread_local std::array<char, kMaxTime> text;
  thread_local std::size_t size = 0;
  const std::int64_t since = at.time_since_epoch().count();
  if (const auto second = since / kSecond; second != made_of) {
    const auto seconds = static_cast<std::time_t>(second);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
    made_of = second;
  }
  // strftime never exceeds the buffer, but g++ 12 does not know that.
  out.text({text.data(), std::min(size, text.size())});
  out.digits<6>(static_cast<std::uint64_t>(since % kSecond));
  out.character('Z');
}

void append_time(std::string& out, Instant at) {
  append_text(out, kMaxTime, [at](TextCursor& cursor) { write_time(cursor, at); });
}

void append_number(std::string& out, std::uint64_t number) {
  append_text(out, TextCursor::kMaxDigits, [number](TextCursor& cursor) { cursor.number(number); });
}

void write_thousandths(TextCursor& out, std::uint64_t thousandths) noexcept {
  out.number(thousandths / 1000);
  out.character('.');
  out.digits<3>(thousandths % 1000);
}

void append_thousandths(std::string& out, std::uint64_t thousandths) {
  append_text(out, TextCursor::kMaxDigits + 4,
              [thousandths](TextCursor& cursor) { write_thousandths(cursor, thousandths); });
}

void write_value(TextCursor& out, std::string_view text) noexcept {
  const auto ambiguous = [](char c) { return c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '='; };
  if (!text.empty() && std::none_of(text.begin(), text.end(), ambiguous)) return out.text(text);
  out.character('"');
  write_json_text(out, text);
  out.character('"');
}

void append_value(std::string& out, std::string_view text) {
  append_text(out, kMaxJsonBytes * text.size() + 2, [text](TextCursor& cursor) { write_value(cursor, text); });
}

}  // namespace headgate::observe
