#include "text_reader.hpp"

#include "front.hpp"

#include "headgate/scan/scan.hpp"

#include <algorithm>
#include <cstring>

namespace headgate::scan {
namespace {

constexpr std::uint16_t kMaxHeader = 128;
constexpr std::uint32_t kNoDigit = 16;

std::uint32_t hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? static_cast<std::uint32_t>(small - 'a' + 10) : kNoDigit;
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
  if (length_ < sizeof front_) {
    for (auto place = length_; place < sizeof front_ && at + (place - length_) != end; ++place)
      front_ = front_ << 8U | static_cast<unsigned char>(at[place - length_]);
  }
  length_ += static_cast<std::uint64_t>(end - at);
  if (!keep_) return;
  const auto size = std::min(static_cast<std::size_t>(end - at), kept_.size() - kept_size_);
  if (size == 0) return;
  std::memcpy(kept_.data() + kept_size_, at, size);
  kept_size_ += static_cast<std::uint32_t>(size);
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
  constexpr std::uint32_t kData = 0x64617461;  // "data"
  switch (class_) {
    case Class::base64:
      if (Base64::has(c) || c == '\n' || c == '\r') return;
      if (c == '=') {
        class_ = Class::padding;
      } else if (c == ':' && length_ == sizeof front_ && front_ == kData && !data_url_) {
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

const char* TextReader::read_characters(const char* at, const char* const end) noexcept {
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
      --left_;
      least_ = 0x80;
      most_ = 0xBF;
      continue;
    }
    if (byte < 0x80) break;
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
  if (left_ != 0) return read_characters(at, end);
  const char* run = at;
  if (class_ == Class::base64)
    run = front_end<Base64>(at, end);
  else if (class_ == Class::text)
    run = front_end<Plain>(at, end);
  if (run != end && *run == '"') {
    status_ = Status::ended;
    if (length_ == 0) {
      view_ = {at, static_cast<std::size_t>(run - at)};
      length_ = view_.size();
    } else {
      append(at, run);
      view_ = {kept_.data(), kept_size_};
    }
    return run + 1;
  }
  append(at, run);
  if (run == end) return run;
  const char c = *run;
  if (static_cast<unsigned char>(c) >= 0x80) return read_characters(run, end);
  if (static_cast<unsigned char>(c) < 0x20) {
    fail();
    return run;
  }
  if (c == '\\') {
    next_ = Next::escape;
    plain_ = false;
  } else {
    classify(c);
    append(run, run + 1);
  }
  return run + 1;
}

void TextReader::read_escape(char c) noexcept {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  if (c == 'u') {
    next_ = Next::hex;
    code_ = 0;
    hex_digits_ = 0;
    return;
  }
  const auto place = kNames.find(c);
  if (place == kNames.npos) return fail();
  next_ = Next::any;
  put(static_cast<unsigned char>(kMeant[place]));
}

void TextReader::read_hex(char c) noexcept {
  const auto digit = hex_value(c);
  if (digit == kNoDigit) return fail();
  code_ = code_ << 4U | digit;
  if (++hex_digits_ == 4) end_hex();
}

void TextReader::end_hex() noexcept {
  const bool low = code_ >= 0xDC00 && code_ < 0xE000;
  if (low != (high_ != 0)) return fail();
  if (code_ >= 0xD800 && code_ < 0xDC00) {
    high_ = code_;
    next_ = Next::low_escape;
    return;
  }
  next_ = Next::any;
  put(low ? 0x10000 + ((high_ - 0xD800) << 10U) + (code_ - 0xDC00) : code_);
  high_ = 0;
}

const char* TextReader::read(const char* at, const char* const end) noexcept {
  while (at != end && status_ == Status::open) {
    switch (next_) {
      case Next::any:
        at = read_run(at, end);
        break;
      case Next::escape:
        read_escape(*at++);
        break;
      case Next::hex:
        read_hex(*at++);
        break;
      case Next::low_escape:
        if (*at++ != '\\') fail();
        next_ = Next::low_u;
        break;
      case Next::low_u:
        if (*at++ != 'u') fail();
        next_ = Next::hex;
        code_ = 0;
        hex_digits_ = 0;
        break;
    }
  }
  return at;
}

}  // namespace headgate::scan
