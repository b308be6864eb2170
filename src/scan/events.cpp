#include "events.hpp"

#include "front.hpp"

namespace headgate::scan {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::string_view kData = "data";

}  // namespace

void Events::feed(std::string_view piece, JsonScanner& json) noexcept {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  while (at != end) {
    if (after_return_) {
      after_return_ = false;
      if (*at == '\n') {
        ++at;
        continue;
      }
    }
    if (line_ == Line::mark) {
      if (*at == kMark[matched_]) {
        ++at;
        if (++matched_ < kMark.size()) continue;
      } else if (matched_ != 0) {
        empty_line_ = false;
        line_ = Line::other;
        continue;
      }
      matched_ = 0;
      line_ = Line::name;
      continue;
    }
    if (*at == '\n' || *at == '\r') {
      after_return_ = *at == '\r';
      ++at;
      end_line(json);
      continue;
    }
    empty_line_ = false;
    switch (line_) {
      case Line::blank:
        line_ = Line::data;
        if (*at == ' ') {
          ++at;
          break;
        }
        [[fallthrough]];
      case Line::data: {
        const char* const stop = front_end<OfLine>(at, end);
        give({at, static_cast<std::size_t>(stop - at)}, json);
        at = stop;
        break;
      }
      case Line::other:
        at = front_end<OfLine>(at, end);
        break;
      default:
        at = read_name(at, end, json);
    }
  }
}

const char* Events::read_name(const char* at, const char* const end, JsonScanner& json) noexcept {
  for (; at != end && *at != '\n' && *at != '\r'; ++at) {
    if (matched_ < kData.size() && *at == kData[matched_]) {
      ++matched_;
    } else if (matched_ == kData.size() && *at == ':') {
      begin_data(json);
      line_ = Line::blank;
      return at + 1;
    } else {
      line_ = Line::other;
      return at;
    }
  }
  return at;
}

void Events::begin_data(JsonScanner& json) noexcept {
  if (data_before_) give("\n", json);
  data_before_ = true;
}

void Events::give(std::string_view data, JsonScanner& json) noexcept {
  if (data_ == Data::none) {
    const auto begin = data.find_first_not_of(" \t\n\r");
    if (begin == data.npos) return;
    data.remove_prefix(begin);
    if (data.front() == '[') {
      data_ = Data::array;
      data.remove_prefix(1);
    } else {
      data_ = data.front() == '{' ? Data::json : Data::ignored;
    }
  }
  if (data_ == Data::array) {
    if (data.empty()) return;
    data_ = data.front() == 'D' ? Data::ignored : Data::json;
    if (data_ == Data::json) json.feed("[");
  }
  if (data_ == Data::json) json.feed(data);
}

void Events::end_line(JsonScanner& json) noexcept {
  if (line_ == Line::name && matched_ == kData.size()) begin_data(json);  // "data" without a colon
  if (empty_line_) end_event(json);
  line_ = Line::name;
  matched_ = 0;
  empty_line_ = true;
}

void Events::end_event(JsonScanner& json) noexcept {
  if (data_ == Data::array) json.feed("[");
  if (data_ == Data::array || data_ == Data::json) {
    json.end_document(false);
    json.begin_document();
  }
  data_ = Data::none;
  data_before_ = false;
}

void Events::end(JsonScanner& json) noexcept {
  end_line(json);
  end_event(json);
}

}  // namespace headgate::scan
