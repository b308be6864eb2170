// The fields of heads that go out.

#include "callbacks.hpp"
#include "h2_session.hpp"

#include <nghttp2/nghttp2.h>

#include <array>
#include <charconv>

namespace headgate::session {
namespace {

std::uint8_t* bytes_of(std::string_view text) noexcept {
  // nghttp2 only reads them.
  return reinterpret_cast<std::uint8_t*>(
      const_cast<char*>(text.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Fields that are new in nearly every answer: what they leave in the table serves no later one.
bool changes(std::string_view lower) noexcept {
  return lower == "x-request-id" || lower == "retry-after" || lower == "content-length" || lower == "etag" ||
         lower.starts_with("ratelimit") || lower.starts_with("x-ratelimit");
}

bool is_secret(std::string_view lower) noexcept { return lower == "set-cookie"; }

/// RFC 9113 section 8.2.2. The path has removed those of the hop; a configuration may have added one.
bool is_of_http1(http::Known id) noexcept {
  return id == http::Known::connection || id == http::Known::keep_alive || id == http::Known::proxy_connection ||
         id == http::Known::transfer_encoding || id == http::Known::upgrade || id == http::Known::te;
}

/// Fields for nghttp2, which copies them. The names are written in lower case into `names`.
class OutFields {
 public:
  OutFields(std::string& names, const http::Fields& fields) : names_(names) {
    std::size_t size = 0;
    for (const auto& field : fields) size += field.name.size();
    names_.clear();
    names_.reserve(size);  // views into it must stay
    list_.reserve(fields.size() + 2);
  }
  void add(std::string_view name, std::string_view value) {
    std::uint8_t flags = NGHTTP2_NV_FLAG_NONE;
    if (changes(name) || is_secret(name)) flags |= NGHTTP2_NV_FLAG_NO_INDEX;
    list_.push_back({bytes_of(name), bytes_of(value), name.size(), value.size(), flags});
  }
  void add(const http::Fields& fields) {
    for (const auto& field : fields) {
      if (is_of_http1(field.id)) continue;
      const auto at = names_.size();
      for (const char c : field.name) names_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      add(std::string_view(names_).substr(at), field.value);
    }
  }
  const nghttp2_nv* data() const noexcept { return list_.data(); }
  std::size_t size() const noexcept { return list_.size(); }

 private:
  std::string& names_;
  std::vector<nghttp2_nv> list_;
};

class Digits {
 public:
  explicit Digits(std::uint64_t number) noexcept
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr) {}
  std::string_view text() const noexcept { return {text_.data(), static_cast<std::size_t>(end_ - text_.data())}; }

 private:
  std::array<char, 20> text_;
  char* end_;
};

}  // namespace

void H2Session::submit_interim(std::int32_t id, unsigned status, const http::Fields& fields) {
  const Digits digits(status);
  OutFields out(names_, fields);
  out.add(":status", digits.text());
  out.add(fields);
  nghttp2_submit_headers(h2_, NGHTTP2_FLAG_NONE, id, nullptr, out.data(), out.size(), nullptr);
}

bool H2Session::submit_answer(std::int32_t id, unsigned status, const http::Fields& fields, const std::uint64_t* length,
                              bool ends) {
  const Digits digits(status);
  const Digits bytes(length != nullptr ? *length : 0);
  OutFields out(names_, fields);
  out.add(":status", digits.text());
  out.add(fields);
  if (length != nullptr) out.add("content-length", bytes.text());
  return submit_h2_answer(h2_, id, out.data(), out.size(), ends);
}

bool H2Session::submit_trailers(std::int32_t id, const http::Fields& fields) {
  OutFields out(names_, fields);
  out.add(fields);
  return nghttp2_submit_trailer(h2_, id, out.data(), out.size()) == 0;
}

}  // namespace headgate::session
