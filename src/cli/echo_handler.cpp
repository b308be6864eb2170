#include "echo_handler.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/gateway/answer.hpp"
#include "headgate/gateway/problem.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::cli {
namespace {

constexpr std::uint64_t kMaxBytes = 10'000'000'000;

/// A pause: co_await Pause(...) waits. It uses the worker's coarse timers, which are precise enough to simulate a slow
/// server. The timer is destroyed with the frame of the coroutine.
class Pause {
 public:
  Pause(net::Timers& timers, Duration delay) : timers_(timers), delay_(delay) {}
  bool await_ready() const noexcept { return delay_.count() <= 0; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    timers_.arm(timer_, delay_);
  }
  void await_resume() const noexcept {}

 private:
  static void over(void* self) { static_cast<Pause*>(self)->waiter_.resume(); }
  net::Timers& timers_;
  Duration delay_;
  net::Timer timer_{&Pause::over, this};
  std::coroutine_handle<> waiter_;
};

std::string_view query_value(std::string_view query, std::string_view name) {
  if (query.starts_with('?')) query.remove_prefix(1);
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto pair = query.substr(0, end);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
  }
  return {};
}

std::string_view wish(const gateway::Exchange& x, std::string_view name, std::string_view header) {
  const auto asked = query_value(x.request.query, name);
  return asked.empty() ? http::value_of(x.request.fields, header) : asked;
}

std::string description(const gateway::Exchange& x) {
  std::string out(x.request.method);
  out += ' ';
  out += x.request.path_to_send();
  out += x.request.query;
  out += '\n';
  for (const auto& field : x.request.fields) {
    out += field.name;
    out += ": ";
    out += field.value;
    out += '\n';
  }
  if (x.body_bytes > 0) out += "\n" + std::to_string(x.body_bytes) + " bytes of body\n";
  return out;
}

}  // namespace

Task<void> EchoHandler::handle(gateway::Exchange& x) {
  while (!x.body->ended()) {
    const auto bytes = co_await x.body->read();
    if (bytes.has_error()) {
      const gateway::Problem broken{
          .status = 400, .ended_by = gateway::EndedBy::bad_request, .detail = "The request's body broke off."};
      co_await send_problem(x, broken, gateway::RejectionHeaders::none);
      co_return;
    }
    x.body_bytes += bytes->size();
  }
  auto delay = defaults_.delay;
  if (const auto wished = parse_duration(wish(x, "delay", "X-Echo-Delay")); wished.has_value()) delay = *wished;
  Pause pause(timers_, std::min<Duration>(delay, std::chrono::minutes(10)));
  co_await pause;
  const auto asked =
      std::clamp(whole_number<unsigned>(wish(x, "status", "X-Echo-Status")).value_or(defaults_.status), 200u, 599u);
  const auto status = fails_now(*x.clock) ? 503 : asked;
  const auto bytes =
      std::min(whole_number<std::uint64_t>(wish(x, "bytes", "X-Echo-Bytes")).value_or(defaults_.bytes), kMaxBytes);
  x.fields.clear();
  x.fields.push_back({http::Known::content_type, "Content-Type", "text/plain; charset=utf-8"});
  x.fields.push_back({http::Known::date, "Date", x.text.join({gateway::date_now(*x.clock)})});
  http::ReplyStart start{.status = status, .fields = &x.fields};
  if (bytes > 0) co_return co_await send_bytes(x, start, bytes);
  const auto body = description(x);
  start.framing = {http::Framing::Kind::length, body.size()};
  const auto first = x.request.head() ? std::string_view{} : std::string_view(body);
  (void)co_await x.reply->send(start, first, http::EndStream::yes);
}

bool EchoHandler::fails_now(const Clock& clock) const noexcept {
  if (defaults_.fails == Duration(0)) return false;
  const auto in = std::chrono::duration_cast<Duration>(clock.steady() - began_) % defaults_.fails_every;
  return in >= defaults_.fails_every - defaults_.fails;
}

Task<void> EchoHandler::send_bytes(gateway::Exchange& x, const http::ReplyStart& start, std::uint64_t bytes) {
  static const std::string kFill(64UL * 1024, 'x');
  http::ReplyStart sized = start;
  sized.framing = {http::Framing::Kind::length, bytes};
  if (x.request.head()) bytes = 0;
  auto piece = [&] {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kFill.size()));
    bytes -= size;
    return std::string_view(kFill).substr(0, size);
  };
  auto bit = piece();
  auto sent = co_await x.reply->send(sized, bit, bytes == 0 ? http::EndStream::yes : http::EndStream::no);
  while (bytes > 0 && sent.has_value()) {
    bit = piece();
    sent = co_await x.reply->write(bit, bytes == 0 ? http::EndStream::yes : http::EndStream::no);
  }
}

}  // namespace headgate::cli
