#include "body_values.hpp"

#include "graphql_request.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/usage/provider.hpp"
#include "headgate/usage/stream_end.hpp"

#include <algorithm>
#include <utility>

namespace headgate::gateway {
namespace {

/// Returns the form of a body that can be read. Sets `state` to the reason if it cannot be.
std::optional<scan::Form> readable_form(const http::Fields& fields, BodyState& state) {
  std::string_view type;
  for (const auto& field : fields) {
    if (field.id == http::Known::content_encoding && !http::same_word(field.value, "identity")) {
      state = BodyState::encoded;
      return std::nullopt;
    }
    if (field.id != http::Known::content_type) continue;
    if (!type.empty()) {  // the server could believe the other one
      state = BodyState::other_type;
      return std::nullopt;
    }
    type = field.value;
  }
  const auto form = scan::form_of(type);
  if (!form) state = BodyState::other_type;
  return form;
}

}  // namespace

BodyState BodyValues::begin_request(const Exchange& x) {
  const auto& framing = x.request.framing;
  if (framing.kind == http::Framing::Kind::length && framing.length > plan_->most)
    return request_state_ = BodyState::too_long;
  const auto form = readable_form(x.request.fields, request_state_);
  if (!form) return request_state_;
  request_.begin(plan_->request, *form);
  request_form_ = *form;
  return request_state_ = BodyState::read;
}

void BodyValues::read_request(std::string_view bytes) noexcept {
  if (request_form_ == scan::Form::form && !bytes.empty() && !std::exchange(request_begun_, true))
    json_as_form_ = std::string_view("{[ \t\r\n\xEF").find(bytes.front()) != std::string_view::npos;
  request_.feed(bytes);
}

void BodyValues::end_request(BodyState state) noexcept {
  request_.end();
  // A server that does not look at the type would read JSON, with other values.
  const bool bad = request_.malformed() || json_as_form_;
  request_state_ = state == BodyState::read && bad ? BodyState::malformed : state;
}

void BodyValues::read_whole_request(const Exchange& x, std::string_view body) {
  if (begin_request(x) != BodyState::read) return;
  read_request(body);
  end_request(body.size() > plan_->most ? BodyState::too_long : BodyState::read);
}

void BodyValues::measure(const Exchange& x, std::string_view body) {
  if (!plan_->measures_graphql) return;
  const bool read = request_state_ == BodyState::read;
  if (!read && request_state_ != BodyState::absent) return;
  std::optional<scan::Form> form;
  if (read) form = request_form_ == scan::Form::form ? scan::Form::form : scan::Form::json;
  graphql_ = graphql_size_of(x.request.query, body, form);
}

bool BodyValues::is_ambiguous() const noexcept {
  if (!plan_->keys.empty() && request_.elements() > 0) return true;
  if (plan_->measures_graphql && !graphql_) return true;
  for (std::size_t i = 0; i < plan_->request.size(); ++i)
    if (request_.found(i).repeated || request_.found(i).cut) return true;
  return false;
}

bool BodyValues::may_ask_usage() const noexcept {
  if (!plan_->asks_usage || request_state_ != BodyState::read || is_ambiguous()) return false;
  const auto& stream = request_.found(plan_->stream);
  return stream.kind == scan::Found::Kind::boolean && stream.truth &&
         request_.found(plan_->stream_options).kind == scan::Found::Kind::absent;
}

void BodyValues::begin_answer(const Exchange& x) {
  answer_begun_ = true;
  const auto form = readable_form(x.answer.fields, answer_state_);
  if (!form) return;
  // The length of an answer must not change, so a stream with a length keeps the chunk.
  const bool ends_itself = x.answer.framing.kind != http::Framing::Kind::length;
  drops_chunk_ = asked_usage_ && *form == scan::Form::events && ends_itself;
  if (ends_itself && (*form == scan::Form::events || *form == scan::Form::lines)) stream_form_ = form;
  answer_.begin(plan_->answer, *form);
  answer_state_ = BodyState::read;
}

std::string BodyValues::last_events() const {
  constexpr std::uint64_t kBytesOfToken = 4;
  const auto& provider = *plan_->provider;
  const auto counted = static_cast<std::int64_t>(usage::output_text_in(provider, answer_) / kBytesOfToken);
  const auto output = std::max(counted, usage::usage_in(provider, answer_).output);
  return usage::last_events(provider, plan_->names, answer_, usage::alternatives_in(provider, request_), output);
}

void BodyValues::end_answer() noexcept {
  if (answer_state_ != BodyState::read || answer_ended_) return;
  answer_ended_ = true;
  answer_.end();
}

void BodyValues::look(std::string_view bytes) noexcept {
  answer_bytes_ += bytes.size();
  if (answer_state_ == BodyState::read) answer_.feed(bytes);
}

const scan::Found* request_value(const Exchange& x, std::size_t index) noexcept {
  if (!x.bodies || x.bodies->request_state() != BodyState::read) return nullptr;
  const auto& found = x.bodies->request().found(index);
  return found.repeated || found.kind == scan::Found::Kind::absent ? nullptr : &found;
}

std::string_view key_in_body(Exchange& x, std::size_t index) {
  const auto* const found = request_value(x, index);
  if (found == nullptr) return {};
  if (index == x.bodies->plan().model && !x.route->model.empty()) return x.route->model;
  switch (found->kind) {
    case scan::Found::Kind::text:
      return found->cut ? std::string_view{} : x.text.join({found->text});
    case scan::Found::Kind::number:
      return x.text.number(found->number);
    case scan::Found::Kind::boolean:
      return found->truth ? "true" : "false";
    default:
      return {};
  }
}

std::optional<std::int64_t> cost_in_body(const scan::Found& found, std::int64_t most) noexcept {
  if (found.kind == scan::Found::Kind::text && !found.cut) return cost_in(found.text, most).cost;
  if (found.kind != scan::Found::Kind::number || found.number < 0) return std::nullopt;
  return std::min(found.number, most);
}

}  // namespace headgate::gateway
