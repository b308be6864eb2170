#include "text_reader.hpp"

#include "characters.hpp"
#include "front.hpp"

#include "headgate/scan/scan.hpp"

#include <algorithm>
#include <cstring>

namespace headgate::scan {
namespace {

constexpr std::uint16_t kMaxHeader = 128;

/// An escape: the bytes that it takes, and those of the character that it means.
struct Escape {
  std::ptrdiff_t read = 0;
  std::ptrdiff_t decoded = 0;
};

/// Returns the escape at `at`, which has at least kEscapeBytes; nothing if it is invalid or may be cut.
inline Escape whole_escape(const char* at, const char* end) noexcept {
  if (at[1] != 'u') return escaped(at[1]) == '\0' ? Escape{} : Escape{2, 1};
  const auto code = four_hex(at + 2);
  if (code >= kNoHex || is_low_surrogate(code)) return {};
  if (!is_high_surrogate(code)) return {6, code < 0x80 ? 1 : code < 0x800 ? 2 : 3};
  if (end - at < 2 * kEscapeBytes || at[6] != '\\' || at[7] != 'u' || !is_low_surrogate(four_hex(at + 8))) return {};
  return {12, 4};
}

}  // namespace

void TextReader::begin(bool keep) noexcept {
  view_ = {};
  length_ = 0;
  kept_size_ = 0;
  high_ = 0;
  left_ = 0;
  next_ = Next::any;
  class_ = Class::base64;
  status_ = Status::open;
  keep_ = keep;
  plain_ = true;
  data_url_ = false;
}

bool TextReader::block() const noexcept {
  return length_ >= kMinBlock && (class_ == Class::base64 || class_ == Class::padding);
}

void TextReader::append(const char* at, const char* end) noexcept {
  for (auto place = length_; place < sizeof front_ && at + (place - length_) != end; ++place)
    front_ = front_ << 8U | static_cast<unsigned char>(at[place - length_]);
  length_ += static_cast<std::uint64_t>(end - at);
  if (!keep_) return;
  const auto size = std::min(static_cast<std::size_t>(end - at), kept_.size() - kept_size_);
  std::memcpy(kept_.data() + kept_size_, at, size);
  kept_size_ += static_cast<std::uint32_t>(size);
  keep_ = kept_size_ < kept_.size();
}

void TextReader::put(std::uint32_t point) noexcept {
  std::array<char, 4> bytes;
  std::size_t size = 0;
  const auto add = [&](std::uint32_t bits) { bytes[size++] = static_cast<char>(static_cast<unsigned char>(bits)); };
  if (point < 0x80) {
    classify(static_cast<char>(point));
    add(point);
  } else {
    class_ = Class::text;
    if (point < 0x800) {
      add(0xC0U | point >> 6U);
    } else {
      if (point < 0x10000) {
        add(0xE0U | point >> 12U);
      } else {
        add(0xF0U | point >> 18U);
        add(0x80U | (point >> 12U & 0x3FU));
      }
      add(0x80U | (point >> 6U & 0x3FU));
    }
    add(0x80U | (point & 0x3FU));
  }
  append(bytes.data(), bytes.data() + size);
}

void TextReader::classify(char c) noexcept {
  constexpr std::uint32_t kDataScheme = 0x64617461;  // "data"
  switch (class_) {
    case Class::base64:
      if (Base64::has(c) || c == '\n' || c == '\r') return;
      if (c == '=') {
        class_ = Class::padding;
      } else if (c == ':' && length_ == sizeof front_ && front_ == kDataScheme && !data_url_) {
        class_ = Class::header;
        data_url_ = true;
        header_ = 0;
      } else {
        class_ = Class::text;
      }
      return;
    case Class::header:
      if (c == ',')
        class_ = Class::base64;
      else if (++header_ > kMaxHeader)
        class_ = Class::text;
      return;
    case Class::padding:
      if (c != '=' && c != '\n' && c != '\r') class_ = Class::text;
      return;
    case Class::text:
      return;
  }
}

/// Reads one character beyond ASCII, or what there is of it.
const char* TextReader::read_character(const char* at, const char* const end) noexcept {
  plain_ = false;
  class_ = Class::text;
  const char* const begin = at;
  for (; at != end; ++at) {
    const auto byte = static_cast<unsigned char>(*at);
    if (left_ != 0) {
      if (byte < least_ || byte > most_) {
        fail();
        break;
      }
      least_ = 0x80;
      most_ = 0xBF;
      if (--left_ != 0) continue;
      ++at;
      break;
    }
    if (byte < 0xC2 || byte > 0xF4) {
      fail();
      break;
    }
    left_ = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    // The second byte reveals overlong forms, surrogates and code points beyond U+10FFFF.
    least_ = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    most_ = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
  }
  append(begin, at);
  return at;
}

/// Reads up to the next byte that needs a closer look, and looks at that.
const char* TextReader::read_run(const char* at, const char* const end) noexcept {
  const char* run = at;
  if (class_ == Class::base64)
    run = front_end<Base64>(at, end);
  else if (class_ == Class::text)
    run = front_end<Plain>(at, end);
  append(at, run);
  if (run == end) return run;
  const char c = *run;
  if (c == '"') return end_text(run);
  if (!is_ascii(c)) return read_character(run, end);
  if (static_cast<unsigned char>(c) < 0x20) {
    fail();
    return run;
  }
  if (c != '\\') {
    classify(c);
    append(run, run + 1);
    return run + 1;
  }
  plain_ = false;
  if (const char meant = end - run < 2 ? '\0' : escaped(run[1]); meant != '\0') {
    put(static_cast<unsigned char>(meant));
    return run + 2;
  }
  next_ = Next::escape;
  return run + 1;
}

const char* TextReader::end_text(const char* quote) noexcept {
  status_ = Status::ended;
  view_ = {kept_.data(), kept_size_};
  return quote + 1;
}

/// Reads what may be a block and is not kept, up to something else than base64 and escaped slashes, and that with
/// read_run().
const char* TextReader::skip_block(const char* at, const char* const end) noexcept {
  for (;;) {
    const char* const run = front_end<Base64>(at, end);
    length_ += static_cast<std::uint64_t>(run - at);
    at = run;
    if (end - at < 2 || at[0] != '\\' || at[1] != '/') break;
    ++length_;
    at += 2;
    plain_ = false;
  }
  return at == end ? at : read_run(at, end);
}

/// Reads a text that is neither kept nor a block. Leaves what the piece may cut to the other functions.
const char* TextReader::skip_text(const char* at, const char* const end) noexcept {
  const char* const begin = at;
  std::uint64_t less = 0;  // bytes that the decoded text is shorter
  for (;;) {
    const char* const run = front_end<Plain>(at, end);
    at = run;
    if (at != end && *at == '\\') at = escapes_end(at, end, less);
    if (at != end && !is_ascii(*at)) at = characters_end(at, end);
    for (; end - at >= kEscapeBytes && at[0] == '\\' && at[1] == 'u'; at += kEscapeBytes, less += 3)
      if (!takes_three_bytes(four_hex(at + 2))) break;
    while (end - at >= kEscapeBytes && *at == '\\') {
      const auto [read, decoded] = whole_escape(at, end);
      if (read == 0) break;
      at += read;
      less += static_cast<std::uint64_t>(read - decoded);
    }
    if (at == end || at == run) break;
  }
  length_ += static_cast<std::uint64_t>(at - begin) - less;
  if (at == end) return at;
  if (*at == '"') return end_text(at);
  if (*at == '\\') {
    next_ = Next::escape;
    return at + 1;
  }
  if (!is_ascii(*at)) return read_character(at, end);
  fail();
  return at;
}

void TextReader::read_escape(char c) noexcept {
  if (c == 'u') {
    next_ = Next::hex;
    code_ = 0;
    hex_digits_ = 0;
    return;
  }
  const char meant = escaped(c);
  if (meant == '\0') return fail();
  next_ = Next::any;
  put(static_cast<unsigned char>(meant));
}

void TextReader::read_hex(char c) noexcept {
  const auto digit = hex_value(c);
  if (digit == kNoHex) return fail();
  code_ = code_ << 4U | digit;
  if (++hex_digits_ == 4) end_hex();
}

void TextReader::end_hex() noexcept {
  const bool low = is_low_surrogate(code_);
  if (low != (high_ != 0)) return fail();
  if (is_high_surrogate(code_)) {
    high_ = code_;
    next_ = Next::low_escape;
    return;
  }
  next_ = Next::any;
  put(low ? 0x10000 + ((high_ - 0xD800) << 10U) + (code_ - 0xDC00) : code_);
  high_ = 0;
}

void TextReader::read_inside(char c) noexcept {
  switch (next_) {
    case Next::any:
      return;
    case Next::escape:
      return read_escape(c);
    case Next::hex:
      return read_hex(c);
    case Next::low_escape:
      if (c != '\\') return fail();
      next_ = Next::low_u;
      return;
    case Next::low_u:
      if (c != 'u') return fail();
      read_escape(c);
  }
}

const char* TextReader::read(const char* at, const char* const end) noexcept {
  while (at != end && status_ == Status::open) {
    if (next_ != Next::any)
      read_inside(*at++);
    else if (left_ != 0)
      at = read_character(at, end);
    else if (class_ == Class::text && !keep_)
      at = skip_text(at, end);
    else if (class_ == Class::base64 && !keep_ && length_ >= sizeof front_)
      at = skip_block(at, end);
    else
      at = read_run(at, end);
  }
  return at;
}

}  // namespace headgate::scan
