#include "json.hpp"

#include "front.hpp"
#include "names.hpp"

#include "headgate/core/text.hpp"

#include <cstring>

namespace headgate::scan {
namespace {

/// Longest text that is read at once if it is plain.
constexpr std::ptrdiff_t kShortText = 256;

constexpr bool is_blank(char c) noexcept { return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t'); }
/// Returns the closing quote of a short plain string; null if the string is not short and plain, or if the piece cuts
/// it.
inline const char* short_text_end(const char* at, const char* end) noexcept {
  const char* const quote = front_end<Plain>(at, end - at < kShortText ? end : at + kShortText);
  return quote != end && *quote == '"' ? quote : nullptr;
}

/// Returns the pointers that lead to an element of an array.
std::uint64_t of_element(const Pointers::Level& level, std::uint64_t alive, std::int64_t element) noexcept {
  auto out = level.all & alive;
  if ((level.elements & alive) == 0) return out;
  for (const auto& name : level.names)
    if (name.element == element) out |= name.pointers & alive;
  return out;
}

}  // namespace

void JsonScanner::begin(const Pointers& pointers, FoundSet& found) noexcept {
  pointers_ = &pointers;
  found_ = &found;
  malformed_ = false;
  documents_ = text_bytes_ = blocks_ = elements_ = 0;
  before_ = 0;
  begin_document();
}

void JsonScanner::begin_document() noexcept {
  at_ = At::value;
  depth_ = 0;
  array_ = false;
  alive_ = 0;
  live_ = pointers_->everything();
}

void JsonScanner::fail() noexcept {
  at_ = At::bad;
  malformed_ = true;
}

void JsonScanner::feed(std::string_view piece) noexcept {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  piece_ = at;
  while (at != end) {
    switch (at_) {
      case At::text:
        at = read_text(at, end);
        break;
      case At::number:
        at = read_number(at, end);
        break;
      case At::word:
        at = read_word(at, end);
        break;
      case At::bad:
        at = end;
        break;
      default:
        at = read_structure(at, end);
    }
  }
  before_ += piece.size();
}

void JsonScanner::end_document(bool may_be_blank) noexcept {
  if (at_ == At::number && number_.complete()) end_number(before_);
  if (at_ == At::done || at_ == At::bad) return;
  const bool blank = at_ == At::value && depth_ == 0;
  if (!blank || !may_be_blank) fail();
}

/// Reads brackets, commas and colons, and the values between them that the piece has as a whole.
const char* JsonScanner::read_structure(const char* at, const char* const end) noexcept {
  while (at != end) {
    const char c = *at;
    if (is_blank(c)) {
      at = c == '\n' ? front_end<Blank>(at, end) : at + 1;  // an indentation is long
      continue;
    }
    switch (at_) {
      case At::first_element:
        if (c == ']') {
          ++at;
          close(true);
          break;
        }
        begin_element();
        [[fallthrough]];
      case At::value:
        at = begin_value(at, end);
        break;
      case At::first_name:
        if (c == '}') {
          ++at;
          close(false);
          break;
        }
        [[fallthrough]];
      case At::name:
        if (c != '"') {
          fail();
          return end;
        }
        at = begin_name(at + 1, end);
        break;
      case At::colon:
        if (c != ':') {
          fail();
          return end;
        }
        ++at;
        at_ = At::value;
        break;
      case At::next:
        ++at;
        if (c == ',') {
          at_ = array_ ? At::value : At::name;
          if (array_)
            begin_element();
          else if (at != end && *at == '"')
            at = begin_name(at + 1, end);
        } else if (c == ']' || c == '}') {
          close(c == ']');
        } else {
          fail();
        }
        break;
      case At::done:
        fail();
        return end;
      default:
        return at;
    }
  }
  return at;
}

inline const char* JsonScanner::begin_value(const char* at, const char* const end) noexcept {
  targets_ = live_ == 0 ? 0 : live_ & pointers_->level(depth_).end;
  if (depth_ == 0) elements_ = 0;
  switch (*at) {
    case '"':
      value_at_ = place_of(at);
      if (const char* const quote = short_text_end(at + 1, end); quote != nullptr) {
        const std::string_view text(at + 1, static_cast<std::size_t>(quote - at - 1));
        end_text(text, text.size(), false, quote + 1);
        return quote + 1;
      }
      return begin_text(at + 1, end, false);
    case '{':
      open(false);
      return at + 1;
    case '[':
      open(true);
      return at + 1;
    case 't':
      return begin_word(at, end, "true");
    case 'f':
      return begin_word(at, end, "false");
    case 'n':
      return begin_word(at, end, "null");
    default:
      return begin_number(at, end);
  }
}

template <std::size_t kSize>
inline const char* JsonScanner::begin_word(const char* at, const char* end, const char (&word)[kSize]) noexcept {
  constexpr std::ptrdiff_t kLength = kSize - 1;
  word_ = {word, kLength};
  if (targets_ != 0) value_at_ = place_of(at);
  if (end - at >= kLength && std::memcmp(at, word, kLength) == 0) {
    end_word();
    return at + kLength;
  }
  at_ = At::word;
  word_read_ = 0;
  return read_word(at, end);
}

inline const char* JsonScanner::begin_number(const char* at, const char* end) noexcept {
  if (targets_ == 0) {
    if (const char* const to = number_end(at, end); to != at) {
      end_value();
      return to;
    }
  }
  at_ = At::number;
  value_at_ = place_of(at);
  number_.begin();
  return read_number(at, end);
}

/// Reads the name of a member, and the colon if it follows at once.
inline const char* JsonScanner::begin_name(const char* at, const char* end) noexcept {
  const char* const quote = short_text_end(at, end);
  if (quote == nullptr) return begin_text(at, end, true);
  end_name({at, static_cast<std::size_t>(quote - at)}, true);
  at = quote + 1;
  if (at == end || *at != ':') return at;
  at_ = At::value;
  return at + 1;
}

const char* JsonScanner::begin_text(const char* at, const char* end, bool name) noexcept {
  text_is_name_ = name;
  at_ = At::text;
  text_.begin(name ? alive_ != 0 : (targets_ & found_->values()) != 0);
  return read_text(at, end);
}

const char* JsonScanner::read_text(const char* at, const char* end) noexcept {
  at = text_.read(at, end);
  if (text_.status() == TextReader::Status::open) return at;
  if (text_.status() == TextReader::Status::malformed)
    fail();
  else if (text_is_name_)
    end_name(text_.view(), text_.plain());
  else
    end_text(text_.view(), text_.length(), text_.block(), at);
  return at;
}

const char* JsonScanner::read_number(const char* at, const char* end) noexcept {
  at = number_.read(at, end);
  if (at == end) return at;
  if (!number_.complete())
    fail();
  else
    end_number(place_of(at));
  return at;
}

const char* JsonScanner::read_word(const char* at, const char* end) noexcept {
  for (; at != end && word_read_ != word_.size(); ++at, ++word_read_) {
    if (*at == word_[word_read_]) continue;
    fail();
    return at;
  }
  if (word_read_ == word_.size()) end_word();
  return at;
}

inline void JsonScanner::begin_element() noexcept {
  if (depth_ == 1) ++elements_;
  if (alive_ == 0) {
    live_ = 0;
    return;
  }
  live_ = of_element(pointers_->level(depth_ - 1), alive_, open_[depth_].element++);
}

void JsonScanner::open(bool array) noexcept {
  if (depth_ == kMaxDepth) return fail();
  if (targets_ != 0) found_->structure(targets_);
  const auto bit = std::uint64_t{1} << (depth_ & 63U);
  auto& bits = arrays_[depth_ >> 6U];
  bits = array ? bits | bit : bits & ~bit;
  ++depth_;
  alive_ = live_ & ~targets_;
  // A pointer that is alive has more steps, so the depth is at most kMaxSteps.
  if (depth_ <= kMaxSteps) open_[depth_] = {alive_, 0, 0};
  array_ = array;
  live_ = 0;
  at_ = array ? At::first_element : At::first_name;
}

void JsonScanner::close(bool array) noexcept {
  if (array != array_) return fail();
  --depth_;
  array_ = depth_ != 0 && (arrays_[(depth_ - 1) >> 6U] >> ((depth_ - 1) & 63U) & 1U) != 0;
  alive_ = depth_ != 0 && depth_ <= kMaxSteps ? open_[depth_].alive : 0;
  end_value();
}

inline void JsonScanner::end_name(std::string_view name, bool plain) noexcept {
  at_ = At::colon;
  if (alive_ == 0) return;
  const auto& level = pointers_->level(depth_ - 1);
  live_ = level.all & alive_;
  Matched matched;
  if (plain) {
    const auto key = name_key(name);
    if ((level.filter & filter_bit(key)) == 0) return;
    matched = match_plain(level, alive_, name, key);
  } else {
    matched = match_name(level, alive_, name);
  }
  live_ |= matched.live;
  const auto named = matched.live | matched.confused;
  if (named == 0) return;
  auto& seen = open_[depth_].seen;
  if (const auto again = matched.confused | (seen & named); again != 0) found_->repeated(again);
  seen |= named;
}

inline void JsonScanner::end_text(std::string_view text, std::uint64_t length, bool block, const char* end) noexcept {
  if (block)
    ++blocks_;
  else
    text_bytes_ += length;
  if (targets_ != 0) found_->text(targets_, text, length, {value_at_, place_of(end) - value_at_});
  end_value();
}

void JsonScanner::end_number(std::uint64_t end) noexcept {
  if (targets_ != 0) found_->number(targets_, number_.value(), {value_at_, end - value_at_});
  end_value();
}

inline void JsonScanner::end_word() noexcept {
  if (targets_ == 0) return end_value();
  if (word_.front() == 'n')
    found_->null(targets_, {value_at_, word_.size()});
  else
    found_->boolean(targets_, word_.front() == 't');
  end_value();
}

inline void JsonScanner::end_value() noexcept {
  at_ = depth_ == 0 ? At::done : At::next;
  if (depth_ == 0) ++documents_;
}

}  // namespace headgate::scan
