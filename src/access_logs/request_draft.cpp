#include "request_draft.hpp"

#include "numbers.hpp"

#include "headgate/envoy/call_text.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace headgate::access_logs {
namespace {

constexpr Duration kLongestAnswer = std::chrono::hours(24 * 366);
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;

constexpr std::string_view kShouldRateLimitPath = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

/// Returns whether this word in headgate's log means that the gateway answered itself because of limits or load,
/// without asking a server.
bool refused_by_gateway(std::string_view ended_by) noexcept {
  constexpr std::array<std::string_view, 7> kRefusals{"limit",   "ban",   "waiting_room", "shed",
                                                      "circuit", "drain", "operator"};
  return std::find(kRefusals.begin(), kRefusals.end(), ended_by) != kRefusals.end();
}

bool has_tls(std::string_view scheme) noexcept {
  return scheme == "https" || scheme == "h2" || scheme == "wss" || scheme == "grpcs" || scheme == "on" ||
         scheme.ends_with('~');  // HAProxy appends "~" to the name of a frontend if the connection has TLS
}

/// Returns "/path HTTP/1.1" without its version, if it has one.
std::string_view without_version(std::string_view text) noexcept {
  constexpr std::string_view kVersion = " HTTP/";
  const auto usual = text.size() < kVersion.size() + 3 ? text.size() : text.size() - kVersion.size() - 3;
  if (text.substr(usual).starts_with(kVersion)) return text.substr(0, usual);
  return text.substr(0, text.rfind(kVersion));
}

/// Returns a number of units; nothing if it is none or too large to be counted.
std::optional<std::int64_t> units_in(std::string_view text) noexcept {
  constexpr std::uint64_t kMaxUnits = 1'000'000'000'000'000;
  const auto units = whole_number(text);
  return units && *units <= kMaxUnits ? std::optional(static_cast<std::int64_t>(*units)) : std::nullopt;
}

}  // namespace

RequestDraft::RequestDraft(const char* line, RequestBlock& block, LogMoments& moments) noexcept
    : line_(line), block_(block), moments_(moments) {
  request_.fields_at = static_cast<std::uint32_t>(block.fields.size());
  request_.values_at = static_cast<std::uint32_t>(block.values.size());
}

const char* RequestDraft::take(const LineParts::Part& part, std::string_view cell) {
  if (untold(cell)) {
    if (part.meaning == Meaning::request) no_request_ = true;
    return nullptr;
  }
  ++told_;
  switch (part.meaning) {
    case Meaning::began:
      return take_began(cell);
    case Meaning::ended:
      return take_ended(cell);
    case Meaning::took_s:
    case Meaning::took_ms:
    case Meaning::took_us:
    case Meaning::took_ns:
    case Meaning::waited_ms:
      return take_duration(cell, part.meaning);
    case Meaning::address:
      return take_address(cell);
    case Meaning::address_port:
      // In this form an IPv6 address has no brackets; the port follows the last colon.
      return take_address(cell.substr(0, cell.rfind(':')));
    case Meaning::forwarded_for:
      forwarded_for_ = cell;
      return nullptr;
    case Meaning::method:
      request_.method = cell;
      return http::is_token(cell) ? nullptr : "its method is none";
    case Meaning::host:
      if (request_.host.empty()) request_.host = cell;
      return nullptr;
    case Meaning::target:
      take_target(cell);
      return nullptr;
    case Meaning::path:
      if (request_.path.empty()) request_.path = cell;
      return nullptr;
    case Meaning::query:
      if (request_.query.empty()) request_.query = cell;
      return nullptr;
    case Meaning::request:
      return take_request(cell);
    case Meaning::scheme:
      request_.tls = has_tls(cell);
      return nullptr;
    case Meaning::tls:
      request_.tls = true;
      return nullptr;
    case Meaning::status:
      return take_status(cell);
    case Meaning::bytes:
    case Meaning::request_bytes:
      return take_size(cell, part.meaning);
    case Meaning::server:
      answered_ = answered_ || (cell != "<NOSRV>" && cell != "0");
      return nullptr;
    case Meaning::ended_by:
      of_headgate_ = true;
      answered_ = cell == "upstream";
      refused_ = refused_by_gateway(cell);
      return nullptr;
    case Meaning::limit:
      request_.cost.limit = cell;
      return nullptr;
    case Meaning::decision:
      rejected_ = cell == "rejected";
      return nullptr;
    case Meaning::cost:
      request_.cost.cost = units_in(cell);
      return nullptr;
    case Meaning::held:
      request_.cost.held = units_in(cell);
      return nullptr;
    case Meaning::call:
      request_.call = cell;
      no_request_ = untold_call_ = !envoy::call_in(cell);
      return nullptr;
    case Meaning::field:
      has_user_agent_ = has_user_agent_ || part.id == http::Known::user_agent;
      block_.fields.push_back({part.id, part.text, cell});
      return nullptr;
    case Meaning::kind:
      no_request_ = cell != part.text;
      return nullptr;
    case Meaning::fields:
    case Meaning::nothing:
      return nullptr;
  }
  return nullptr;
}

const char* RequestDraft::take_began(std::string_view cell) {
  const auto moment = moments_.began.read(cell);
  if (!moment) return "its time is none";
  began_ = *moment;
  has_began_ = true;
  return nullptr;
}

/// Takes the time at which the request ended. If a line has several times, the one with a fraction of a second is used.
const char* RequestDraft::take_ended(std::string_view cell) {
  const auto moment = moments_.ended.read(cell);
  if (!moment) return "its time is none";
  if (has_ended_ && !moments_.ended.fraction()) return nullptr;
  ended_ = *moment;
  has_ended_ = true;
  ended_fraction_ = moments_.ended.fraction();
  return nullptr;
}

const char* RequestDraft::take_duration(std::string_view cell, Meaning unit) {
  if (cell.starts_with('-')) return nullptr;  // the value is -1 if the request did not get that far
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const bool nanoseconds = unit == Meaning::took_ns;
  const auto number = scaled_number(cell, unit == Meaning::took_s                                ? 6
                                          : unit == Meaning::took_us || unit == Meaning::took_ns ? 0
                                                                                                 : 3);
  const auto micros = number.value_or(0) / (nanoseconds ? 1000 : 1);
  if (!number || micros > static_cast<std::uint64_t>(kLongestAnswer.count()))
    return "its duration is not a number, or is too long";
  const Duration duration(static_cast<std::int64_t>(micros));
  if (unit == Meaning::waited_ms) {
    waited_ += duration;
  } else {
    request_.took += duration;
    has_took_ = true;
  }
  return nullptr;
}

const char* RequestDraft::take_address(std::string_view cell) {
  if (cell.starts_with("unix:")) return nullptr;
  if (!read_address(cell, request_.address)) return "its client is no IP address";
  has_address_ = true;
  return nullptr;
}

/// Takes a request line such as "GET /path?query HTTP/1.1". A text without a method and a target was sent by a scanner
/// or a TLS client.
const char* RequestDraft::take_request(std::string_view cell) {
  const auto blank = std::min(cell.find(' '), cell.size());
  const auto method = cell.substr(0, blank);
  if (blank == cell.size() || untold(method) || !http::is_token(method)) {
    no_request_ = true;
    return nullptr;
  }
  request_.method = method;
  take_target(without_version(cell.substr(blank + 1)));
  return nullptr;
}

const char* RequestDraft::take_status(std::string_view cell) {
  const auto status = whole_number(cell);
  if (status == 0U || cell == "-1") return nullptr;  // no answer was sent
  if (!status || *status < 100 || *status > 599) return "its status is none";
  request_.status = *status < 200 ? 200 : static_cast<unsigned>(*status);  // 101 of a tunnel counts as 200
  has_status_ = true;
  return nullptr;
}

const char* RequestDraft::take_size(std::string_view cell, Meaning whose) {
  const auto bytes = whole_number(cell);
  if (!bytes || *bytes > kMaxBytes) return "its size is none, or above 1 TiB";
  if (whose == Meaning::request_bytes)
    request_.request_bytes = *bytes;
  else if (!std::exchange(has_bytes_, true))
    request_.bytes = *bytes;
  return nullptr;
}

/// Takes scheme and host from the front of a URL.
void RequestDraft::take_origin(std::string_view& text) noexcept {
  const auto scheme = text.find("://");
  if (scheme == text.npos) return;
  request_.tls = has_tls(text.substr(0, scheme));
  text.remove_prefix(scheme + 3);
  const auto end = std::min(text.find_first_of("/?"), text.size());
  if (request_.host.empty()) request_.host = text.substr(0, end);
  text.remove_prefix(end);
}

void RequestDraft::take_target(std::string_view text) noexcept {
  if (!text.starts_with('/')) take_origin(text);
  const auto mark = std::min(text.find('?'), text.size());
  request_.path = mark == 0 ? std::string_view("/") : text.substr(0, mark);
  request_.query = text.substr(mark);
}

void RequestDraft::take_fields(std::span<const http::Field> fields) {
  for (auto field : fields) {
    field.id = http::known_field(field.name);
    // Framing fields are handled elsewhere. Values that the gateway of the log has hidden are useless.
    if (field.id == http::Known::content_length || field.id == http::Known::transfer_encoding ||
        field.value == "REDACTED" || !http::is_token(field.name))
      continue;
    if (field.id == http::Known::host) {
      if (request_.host.empty()) request_.host = field.value;
      continue;
    }
    has_user_agent_ = has_user_agent_ || field.id == http::Known::user_agent;
    block_.fields.push_back(field);
  }
}

/// If no other part has the client's address, takes it from the last entry of X-Forwarded-For, which the gateway has
/// added.
void RequestDraft::finish_forwarded() {
  if (forwarded_for_.empty()) return;
  auto sent = forwarded_for_;
  if (!has_address_) {
    const auto comma = sent.rfind(',');
    has_address_ = read_address(trimmed(comma == sent.npos ? sent : sent.substr(comma + 1)), request_.address);
    if (has_address_) sent = comma == sent.npos ? std::string_view() : sent.substr(0, comma);
  }
  if (sent.empty()) return;
  constexpr std::string_view kName = "X-Forwarded-For";
  block_.fields.push_back({http::known_field(kName), kName, sent});
}

/// Adds the question mark to a query that has a part of its own and lacks the mark.
const char* RequestDraft::finish_query() noexcept {
  auto& query = request_.query;
  if (query.empty() || query.front() == '?') return nullptr;
  if (query.data() == line_) return "it begins with its query";
  // The byte before the query is a quote or a blank, which is no longer needed.
  block_.bytes[static_cast<std::size_t>(query.data() - block_.bytes.data()) - 1] = '?';
  query = {query.data() - 1, query.size() + 1};
  return nullptr;
}

/// Completes the cost of the logged limit. The log has the hold only if it differs from the cost, and a request that
/// was rejected by its hold has no cost of its own.
void RequestDraft::finish_cost() noexcept {
  auto& cost = request_.cost;
  if (!cost.held) cost.held = cost.cost;
  if (rejected_) cost.cost.reset();
}

const char* RequestDraft::finish(MissingParts& missing) {
  auto& request = request_;
  if (!has_began_ && !has_ended_) return "it has no time";
  if (request.path.empty()) {
    no_request_ = true;  // the connection ended before a request was read
    return "it has no path";
  }
  if (request.call.empty() && of_headgate_ && !answered_ && request.path == kShouldRateLimitPath) {
    no_request_ = untold_call_ = true;
    return nullptr;
  }
  request.began = has_began_ ? began_ : ended_ - request.took;
  request.written = has_ended_ ? ended_ : began_ + request.took;
  request.took -= std::min(request.took, waited_);
  if (const char* const why = finish_query()) return why;
  finish_forwarded();
  finish_cost();
  request.fields = static_cast<std::uint32_t>(block_.fields.size()) - request.fields_at;
  if (!request.call.empty()) {
    request.status = 200;  // no server answers a call
  } else if (refused_ || ((request.status == 429 || request.status == 503) && !answered_)) {
    request.assumed_ok = true;
    request.status = 200;
  }
  if (request.method.empty()) {
    request.method = "GET";
    missing.method = true;
  }
  missing.host = missing.host || request.host.empty();
  missing.address = missing.address || !has_address_;
  missing.status = missing.status || !has_status_;
  missing.took = missing.took || !has_took_;
  missing.user_agent = missing.user_agent || !has_user_agent_;
  missing.fraction = missing.fraction || !(has_began_ ? moments_.began.fraction() : ended_fraction_);
  return nullptr;
}

}  // namespace headgate::access_logs
