#include "headgate/scan/scan.hpp"

#include "events.hpp"
#include "fields.hpp"
#include "found_set.hpp"
#include "json.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace headgate::scan {

struct Scan::State {
  Form form = Form::json;
  bool begun = false;
  FoundSet found;
  JsonScanner json;
  Events events;
  FormReader fields;
};

std::optional<Form> form_of(std::string_view content_type) noexcept {
  const auto type = trimmed(content_type.substr(0, content_type.find(';')));
  constexpr std::string_view kSuffix = "+json";
  if (same_word(type, "application/json") || same_word(type, "text/json")) return Form::json;
  if (type.size() > kSuffix.size() && same_word(type.substr(type.size() - kSuffix.size()), kSuffix)) return Form::json;
  if (same_word(type, "text/event-stream")) return Form::events;
  if (same_word(type, "application/x-www-form-urlencoded")) return Form::form;
  constexpr std::array<std::string_view, 5> kLines = {"application/x-ndjson", "application/ndjson", "application/jsonl",
                                                      "application/x-jsonlines", "application/jsonlines"};
  if (std::any_of(kLines.begin(), kLines.end(), [type](auto word) { return same_word(type, word); }))
    return Form::lines;
  return std::nullopt;
}

Scan::Scan() = default;
Scan::Scan(Scan&&) noexcept = default;
Scan& Scan::operator=(Scan&&) noexcept = default;
Scan::~Scan() = default;

void Scan::begin(const Pointers& pointers, Form form) {
  if (!state_) state_ = std::make_unique<State>();
  state_->form = form;
  state_->begun = true;
  state_->found.begin(pointers);
  state_->json.begin(pointers, state_->found);
  state_->events.begin();
  state_->fields.begin(pointers, state_->found);
}

namespace {

void feed_lines(std::string_view bytes, JsonScanner& json) noexcept {
  while (!bytes.empty()) {
    const auto* const stop = static_cast<const char*>(std::memchr(bytes.data(), '\n', bytes.size()));
    const auto size = stop == nullptr ? bytes.size() : static_cast<std::size_t>(stop - bytes.data());
    json.feed(bytes.substr(0, size));
    if (stop == nullptr) return;
    json.end_document(true);
    json.begin_document();
    bytes.remove_prefix(size + 1);
  }
}

}  // namespace

void Scan::feed(std::string_view bytes) noexcept {
  if (!state_ || !state_->begun || bytes.empty()) return;
  switch (state_->form) {
    case Form::json:
      return state_->json.feed(bytes);
    case Form::events:
      return state_->events.feed(bytes, state_->json);
    case Form::lines:
      return feed_lines(bytes, state_->json);
    case Form::form:
      return state_->fields.feed(bytes);
  }
}

void Scan::end() noexcept {
  if (!state_ || !state_->begun) return;
  state_->begun = false;
  switch (state_->form) {
    case Form::json:
      return state_->json.end_document(false);
    case Form::events:
      return state_->events.end(state_->json);
    case Form::lines:
      return state_->json.end_document(true);
    case Form::form:
      return state_->fields.end();
  }
}

const Found& Scan::found(std::size_t index) const noexcept {
  static constexpr Found kNothing;
  return state_ ? state_->found.found(index) : kNothing;
}

bool Scan::malformed() const noexcept { return state_ && (state_->json.malformed() || state_->fields.malformed()); }

std::uint64_t Scan::documents() const noexcept {
  return state_ ? state_->json.documents() + state_->fields.documents() : 0;
}

std::uint64_t Scan::text_bytes() const noexcept {
  return state_ ? state_->json.text_bytes() + state_->fields.text_bytes() : 0;
}

std::uint64_t Scan::blocks() const noexcept { return state_ ? state_->json.blocks() : 0; }

std::uint64_t Scan::elements() const noexcept { return state_ ? state_->json.elements() : 0; }

}  // namespace headgate::scan
