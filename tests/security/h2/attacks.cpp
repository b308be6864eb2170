#include "security/h2/attacks.hpp"

#include "blackbox/harness/h2_client.hpp"

#include <iterator>
#include <string_view>
#include <utility>

namespace headgate::test::h2 {
namespace {

constexpr std::uint8_t kWholeRequest = kEndHeaders | kEndStream;

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

/// The pseudo fields as HPACK's static table has them: what an attacker's bytes buy is not diluted.
std::string head_of(std::string_view path, char method = '\x82') {
  std::string out{method, '\x86'};
  if (path == "/")
    out += '\x84';
  else
    out.append({'\x04', static_cast<char>(path.size())}).append(path);
  return out + "\x01\x09" + "a.example";
}

std::string held_upload() { return head_of("/held", '\x83'); }

/// Puts a field with so long a value (127 and more) into the dynamic table; from then on it is one byte, kThatField.
std::string remembered(std::string_view name, std::size_t value) {
  std::string out = "\x40";
  out.append(1, static_cast<char>(name.size())).append(name).append(1, '\x7f');
  auto rest = value - 127;
  for (; rest >= 128; rest /= 128) out += static_cast<char>(rest % 128 + 128);
  return out.append(1, static_cast<char>(rest)).append(value, 'a');
}
constexpr char kThatField = '\xbe';

Frames request(std::string_view path) { return Frames().add(h2_headers, kWholeRequest, head_of(path)); }
Frames upload() { return Frames().add(h2_headers, kEndHeaders, held_upload()); }
/// Frames of the connection, or of its first stream.
Frames flood(std::uint8_t type, std::string_view payload, std::uint32_t stream = 0) {
  return Frames(repeated(h2_frame(type, 0, stream, payload), 1'000));
}
std::string initial_window(std::uint32_t bytes) { return std::string("\0\4", 2) + h2_number(bytes); }

std::vector<Attack> with_resets() {
  const auto cancel = h2_number(8);
  return {
      {.name = "rapid reset",
       .does = "begins requests and resets each at once (CVE-2023-44487)",
       .again = request("/").add(h2_rst_stream, 0, cancel).times(300)},
      {.name = "too many streams",
       .does = "begins requests without end, which the server does not answer",
       .again = request("/held").times(300)},
      {.name = "forced resets, window",
       .does = "makes the proxy reset each request, by a window above 2^31-1 (CVE-2025-8671)",
       .again = upload().add(h2_window_update, 0, h2_number(0x7fffffff)).times(300)},
      {.name = "forced resets, no window",
       .does = "makes the proxy reset each request, by a WINDOW_UPDATE of 0",
       .again = upload().add(h2_window_update, 0, h2_number(0)).times(300)},
      {.name = "forced resets, DATA",
       .does = "makes the proxy reset each request, by DATA after its end",
       .again = request("/held").add(h2_data, 0, "x").times(300)},
      {.name = "forced resets, PRIORITY",
       .does = "makes the proxy reset each request, by a stream that depends on itself",
       .again = upload().depend_on_itself().times(300)},
  };
}

std::vector<Attack> with_heads() {
  // As much as a table of 4,096 bytes can remember in one field.
  constexpr std::size_t kLarge = 3'900;
  const auto bomb = [](std::string_view name, std::size_t value, std::size_t times) {
    return Frames().add(h2_headers, kWholeRequest,
                        head_of("/held") + remembered(name, value) + std::string(times, kThatField));
  };
  // The table has the field already: each head is near what proxies take at most (16 KB, 100 fields), in a few bytes.
  const auto held = [](std::size_t times) {
    return Frames().add(h2_headers, kWholeRequest, head_of("/held") + std::string(times, kThatField)).times(99);
  };
  return {
      {.name = "CONTINUATION",
       .does = "sends one head without end in small frames (CVE-2024-27316)",
       .first = Frames().add(h2_headers, kEndStream, head_of("/")),
       .again = Frames(repeated(h2_frame(h2_continuation, 0, 1, std::string("\0\1a\1b", 5)), 1'000))},
      {.name = "HPACK bomb",
       .does = "sends requests of 16 KB that decode to 47 MB",
       .again = bomb("x-a", kLarge, 12'000)},
      {.name = "HPACK bomb of cookies",
       .does = "sends requests with 16,000 `Cookie` fields",
       .again = bomb("cookie", 127, 16'000)},
      {.name = "HPACK bomb, held",
       .does = "holds 100 unanswered requests on each of 20 connections, each with 12 KB of fields in 30 bytes",
       .fate = Fate::held,
       .at_once = 20,
       .first = bomb("x-a", kLarge, 2).append(held(3))},
      {.name = "cookies, held",
       .does = "holds as many requests with 80 `Cookie` fields each",
       .fate = Fate::held,
       .at_once = 20,
       .first = bomb("cookie", 127, 79).append(held(80))},
  };
}

std::vector<Attack> with_frames() {
  auto unread = Attack{.name = "PING, unread",
                       .does = "sends PING without end and reads nothing",
                       .again = flood(h2_ping, "12345678"),
                       .reads = false};
  return {
      {.name = "SETTINGS", .does = "sends SETTINGS without end", .again = flood(h2_settings, initial_window(65'535))},
      {.name = "PING", .does = "sends PING without end", .again = flood(h2_ping, "12345678")},
      std::move(unread),
      {.name = "empty DATA", .does = "sends a body of empty frames", .first = upload(), .again = flood(h2_data, "", 1)},
      {.name = "PRIORITY",
       .does = "sends PRIORITY without end",
       .again = flood(h2_priority, std::string("\0\0\0\0\x0a", 5), 3)},
      {.name = "WINDOW_UPDATE",
       .does = "opens its window by one byte a frame",
       .again = flood(h2_window_update, h2_number(1))},
      {.name = "unknown frames", .does = "sends frames of an unknown type", .again = flood(0x77, "")},
  };
}

std::vector<Attack> with_patience() {
  return {
      {.name = "held streams",
       .does = "holds 100 unanswered requests on each of 20 connections",
       .fate = Fate::held,
       .at_once = 20,
       .first = request("/held").times(100)},
      {.name = "no window",
       .does = "makes 100 requests for 200 KB on each of 20 connections and opens no window for the answers",
       .fate = Fate::held,
       .at_once = 20,
       .settings = initial_window(0),
       .first = request("/large").times(100)},
      {.name = "slow heads",
       .does = "opens 1,000 connections with a head that does not end",
       .fate = Fate::held,
       .at_once = 1'000,
       .first = Frames().add(h2_headers, kEndStream, head_of("/"))},
      {.name = "slow bodies",
       .does = "sends a body of four bytes a second on each of 1,000 connections",
       .fate = Fate::held,
       .at_once = 1'000,
       .first = upload(),
       .again = Frames(h2_frame(h2_data, 0, 1, "x")),
       .slowly = true},
      {.name = "idle connections",
       .does = "opens 2,000 connections that send one request and then nothing",
       .fate = Fate::held,
       .at_once = 2'000,
       .first = request("/")},
  };
}

}  // namespace

const std::vector<Attack>& attacks() {
  static const auto all = [] {
    std::vector<Attack> out;
    for (auto part : {with_resets(), with_heads(), with_frames(), with_patience()})
      out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    return out;
  }();
  return all;
}

}  // namespace headgate::test::h2
