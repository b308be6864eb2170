#include "fields.hpp"

#include "characters.hpp"
#include "front.hpp"
#include "names.hpp"

#include "headgate/core/utf8.hpp"

#include <algorithm>

namespace headgate::scan {
namespace {

/// Returns whether the text is UTF-8. Its last character may be incomplete if `cut`.
bool is_text(std::string_view text, bool cut) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    if (cut && text.size() - at < 4) return true;
    const auto length = character_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

void FormReader::begin(const Pointers& pointers, FoundSet& found) noexcept {
  pointers_ = &pointers;
  found_ = &found;
  kept_size_ = 0;
  length_ = targets_ = seen_ = 0;
  documents_ = text_bytes_ = 0;
  escape_ = 0;
  in_value_ = begun_ = malformed_ = false;
}

void FormReader::put(char c) noexcept {
  ++length_;
  if (kept_size_ < kept_.size()) kept_[kept_size_++] = c;
}

void FormReader::decode(char c) noexcept {
  begun_ = true;
  if (escape_ != 0) {
    const auto digit = hex_value(c);
    if (digit == kNoHex) {
      malformed_ = true;
      escape_ = 0;
      return;
    }
    code_ = static_cast<std::uint8_t>(static_cast<unsigned>(code_) << 4U | digit);
    if (--escape_ == 0) put(static_cast<char>(code_));
  } else if (c == '%') {
    escape_ = 2;
    code_ = 0;
  } else {
    put(c == '+' ? ' ' : c);
  }
}

/// Passes over a value that no pointer names. An escape counts as one byte.
const char* FormReader::skip(const char* at, const char* const end) noexcept {
  constexpr int kMaxRounds = 100;  // a lane counts to 127
  const char* const begin = at;
  std::int64_t escapes = 0;
  bool stopped = false;
  while (!stopped && end - at >= kBytes) {
    Bytes counts{};
    for (int round = 0; round < kMaxRounds && end - at >= kBytes; ++round, at += kBytes) {
      const auto text = load_bytes(at);
      stopped = !all_of(OfField::of(text));
      if (stopped) break;
      counts -= text == each_byte('%');
    }
    for (std::ptrdiff_t lane = 0; lane < kBytes; ++lane) escapes += counts[lane];
  }
  for (; at != end && OfField::has(*at); ++at) escapes += *at == '%' ? 1 : 0;
  length_ += static_cast<std::uint64_t>((at - begin) - 2 * escapes);  // may wrap until the escape is complete
  return at;
}

void FormReader::feed(std::string_view piece) noexcept {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  while (at != end) {
    const char c = *at;
    if (c == '&' || c == ';') {
      malformed_ = malformed_ || c == ';';
      end_field();
      ++at;
    } else if (in_value_ && targets_ == 0) {
      at = skip(at, end);
    } else if (!in_value_ && c == '=') {
      begun_ = true;
      end_name();
      ++at;
    } else {
      decode(c);
      ++at;
    }
  }
}

void FormReader::end_name() noexcept {
  const std::string_view name(kept_.data(), kept_size_);
  const bool complete = escape_ == 0 && length_ < kept_.size();
  if (!complete || !is_text(name, false)) malformed_ = true;
  const auto matched = match_field(pointers_->level(0), name);
  const auto& level = pointers_->level(0);
  const auto whole = pointers_->level(1).end;
  targets_ = (matched.live | level.all) & whole;
  const auto named = (matched.live | matched.confused) & whole;
  if (const auto again = (matched.confused & whole) | (seen_ & named); again != 0) found_->repeated(again);
  seen_ |= named;
  in_value_ = true;
  escape_ = 0;
  length_ = 0;
  kept_size_ = 0;
}

void FormReader::end_field() noexcept {
  if (!begun_) return;
  if (!in_value_) end_name();
  if (static_cast<std::int64_t>(length_) < 0) length_ = 0;
  if (targets_ != 0) {
    const std::string_view text(kept_.data(), kept_size_);
    if (escape_ != 0 || !is_text(text, length_ > text.size())) malformed_ = true;
    found_->text(targets_, text, length_, {});
  }
  text_bytes_ += length_;
  escape_ = 0;
  length_ = 0;
  kept_size_ = 0;
  in_value_ = false;
  begun_ = false;
}

void FormReader::end() noexcept {
  end_field();
  ++documents_;
}

}  // namespace headgate::scan
