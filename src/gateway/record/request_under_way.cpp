#include "headgate/gateway/request_under_way.hpp"

#include "gateway/record/access_record.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/gateway/delay.hpp"

#include <array>
#include <charconv>
#include <chrono>

namespace headgate::gateway {
namespace {

constexpr unsigned kTunnelled = 101;

std::string_view state_of_wait(Delay::For what) noexcept {
  static constexpr WordsUpTo<Delay::For::auth> kWords({"limit", "queue", "retry", "auth"});
  return kWords[what];
}

std::string_view protocol_of(unsigned version) noexcept {
  return version == 10 ? "HTTP/1.0" : version == 20 ? "HTTP/2.0" : "HTTP/1.1";
}

/// Returns whether the server has not announced the length of its answer.
bool is_open_end(const Exchange& x) noexcept {
  return x.attempt != nullptr && x.answer.framing.kind == http::Framing::Kind::unknown;
}

}  // namespace

std::string RequestName::text() const {
  std::array<char, 64> out{};
  auto* at = out.data();
  auto* const end = out.data() + out.size();
  at = std::to_chars(at, end, worker).ptr;
  *at++ = '-';
  at = std::to_chars(at, end, connection, 16).ptr;
  *at++ = '-';
  at = std::to_chars(at, end, begun, 16).ptr;
  if (stream != 0) {
    *at++ = '-';
    at = std::to_chars(at, end, stream, 16).ptr;
  }
  return {out.data(), at};
}

std::optional<RequestName> RequestName::read(std::string_view text) {
  RequestName out;
  const auto* at = text.data();
  const auto* const end = at + text.size();
  const auto take = [&](auto& number, int base) {
    const auto [next, error] = std::from_chars(at, end, number, base);
    at = next;
    return error == std::errc();
  };
  const auto dash = [&] { return at != end && *at++ == '-'; };
  bool read = take(out.worker, 10) && dash() && take(out.connection, 16) && dash() && take(out.begun, 16);
  if (read && at != end) read = dash() && take(out.stream, 16) && out.stream != 0;
  return read && at == end ? std::optional(out) : std::nullopt;
}

std::string_view state_of(const Exchange& x) noexcept {
  if (x.status == kTunnelled) return "tunnel";
  if (x.reply->started()) return is_open_end(x) ? "streaming" : "sending";
  if (x.delay != nullptr) return state_of_wait(x.delay->waits_for());
  if (!x.body->ended() && (x.attempts > 0 ? x.attempt != nullptr : x.held != nullptr)) return "receiving";
  if (x.attempt != nullptr) return "server";
  return x.attempts > 0 ? "connecting" : "deciding";
}

const boost::asio::ip::address& logged_address(const Exchange& x) noexcept {
  return x.caller.ip_key.empty() ? x.peer : x.caller.address;
}

std::uint64_t begun_of(const Exchange& x) noexcept {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(x.started.time_since_epoch());
  return static_cast<std::uint64_t>(since.count());
}

RequestUnderWay describe(const Exchange& x, const std::vector<std::string>& callers) {
  RequestUnderWay out;
  out.protocol = protocol_of(x.request.version);
  out.method = x.request.method;
  out.host = x.request.authority;
  out.path = x.request.path;
  if (x.route != nullptr) out.route = x.route->name;
  out.upstream = x.upstream;
  out.server = x.server;
  out.address = logged_address(x);
  if (const auto* const binding = x.admission.binding) {
    out.limit = binding->route_limit->limit->name;
    out.key = x.admission.checks[x.admission.rule].key;
  }
  std::array<std::string_view, observe::LogOptions::kMaxCallers> values;
  for (const auto value : caller_values(x, callers, values)) out.callers.emplace_back(value);
  out.state = state_of(x);
  out.received = x.body_bytes;
  out.sent = x.reply->bytes_sent();
  return out;
}

}  // namespace headgate::gateway
