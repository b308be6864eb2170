#include "headgate/scan/scan.hpp"

#include "events.hpp"
#include "fields.hpp"
#include "found_set.hpp"
#include "json.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace headgate::scan {

struct Scan::State {
  Form form = Form::json;
  bool begun = false;
  FoundSet found;
  JsonScanner json;
  Events events;
  FormReader fields;
};

namespace {

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) noexcept {
  return std::any_of(words.begin(), words.end(), [word](auto each) { return same_word(word, each); });
}

/// Returns whether all readers see the same ASCII characters, as the parameters of a type name no other charset. Some
/// readers decode UTF-7, in which plain text can mean a quote.
bool is_ascii_based(std::string_view parameters) noexcept {
  constexpr std::string_view kCharset = "charset";
  while (!parameters.empty()) {
    parameters.remove_prefix(1);  // the semicolon
    const auto parameter = trimmed(parameters.substr(0, parameters.find(';')));
    parameters.remove_prefix(std::min(parameters.find(';'), parameters.size()));
    const auto name = trimmed(parameter.substr(0, parameter.find('=')));
    if (name.size() == parameter.size() || !same_word(name, kCharset)) continue;
    auto value = trimmed(parameter.substr(parameter.find('=') + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    if (!is_any(value, {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"})) return false;
  }
  return true;
}

}  // namespace

std::optional<Form> form_of(std::string_view content_type) noexcept {
  const auto end = std::min(content_type.find(';'), content_type.size());
  const auto type = trimmed(content_type.substr(0, end));
  constexpr std::string_view kSuffix = "+json";
  if (is_any(type, {"text/event-stream"})) return Form::events;
  if (!is_ascii_based(content_type.substr(end))) return std::nullopt;
  const auto suffix = type.substr(type.size() - std::min(type.size(), kSuffix.size()));
  if (is_any(type, {"application/json", "text/json"}) || (type != suffix && same_word(suffix, kSuffix)))
    return Form::json;
  if (is_any(type, {"application/x-www-form-urlencoded"})) return Form::form;
  if (is_any(type, {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
                    "application/jsonlines"}))
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
