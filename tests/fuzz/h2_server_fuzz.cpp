// Fuzzes the connections to a server of HTTP/2, over sockets: whatever it sends, every request ends, no answer that was
// cut off looks whole, the connections go away, and their memory is given back.

#include "fuzzer.hpp"
#include "h2_frame.hpp"

#include "headgate/net/loop_clock.hpp"
#include "headgate/upstream/diallers.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::fuzz {
namespace {

using http::EndStream;
using upstream::CountedAttemptPtr;

/// One request. `attempt` is null before it and after it.
struct Asking {
  upstream::Attempt* attempt = nullptr;
  bool over = false;
};

constexpr auto kLong = std::chrono::hours(1);

Task<void> ask(upstream::Dialler& dialler, Asking& asking, unsigned kind) {
  CountedAttemptPtr attempt = dialler.take_idle(0);
  if (!attempt) {
    auto made = co_await dialler.connect(0);
    if (made.has_error()) {
      asking.over = true;
      co_return;
    }
    attempt = std::move(*made);
  }
  asking.attempt = attempt.get();
  const std::string body(kind == 1 ? 100'000 : 10, 'b');
  const http::Fields fields{{http::Known::host, "Host", "a"}};
  TextBuffer room;
  upstream::RequestStart start;
  start.method = kind == 2 ? "HEAD" : kind == 0 ? "GET" : "POST";
  start.path = "/x";
  start.fields = &fields;
  start.write_timeout = kLong;
  start.between_bytes = kLong;
  start.room = &room;
  const bool empty = kind == 0 || kind == 2;
  if (!empty) start.framing = {http::Framing::Kind::unknown, 0};
  auto sent = co_await attempt->send(start, {}, empty ? EndStream::yes : EndStream::no);
  if (!empty && sent.has_value()) sent = co_await attempt->write(body, kind == 1 ? EndStream::yes : EndStream::no);
  const http::Fields trailers{{http::Known::unknown, "x-sum", "1"}};
  if (kind == 3 && sent.has_value()) sent = co_await attempt->finish(trailers);
  http::ReplyHead head;
  bool whole = false;
  for (unsigned i = 0; i < 40; ++i) {
    const auto read = co_await attempt->read_head(head, kLong);
    if (read.has_error()) break;
    demand(head.status >= 100 && head.status <= 599 && head.status != 101);
    if (head.status < 200) continue;
    whole = true;
    break;
  }
  std::uint64_t got = 0;
  while (whole) {
    const auto bytes = co_await attempt->body().read();
    if (bytes.has_error()) break;
    got += bytes->size();
    if (!bytes->empty()) continue;
    demand(attempt->body().ended());
    if (head.framing.kind == http::Framing::Kind::length) demand(got == head.framing.length);
    break;
  }
  asking.attempt = nullptr;
  dialler.give_back(std::move(attempt));
  asking.over = true;
}

/// A head that is valid, which mutation alone would hardly ever reach; without a status it is that of trailers.
std::string reply_head(std::string_view status, std::string_view name, std::string_view value) {
  std::string out;
  for (const auto& [one, other] : {std::pair{std::string_view(":status"), status}, std::pair{name, value}}) {
    if (one.empty() || (one == ":status" && status.empty())) continue;
    out += '\0';
    for (const auto part : {one, other}) {
      out += static_cast<char>(std::min<std::size_t>(part.size(), 100));
      out.append(part.substr(0, 100));
    }
  }
  return out;
}

/// As in h2_session_fuzz. Types beyond those that there are become heads and trailers that are whole.
std::string frames_of_server(std::string_view bytes) {
  constexpr std::array<std::string_view, 4> kStatuses{"200", "103", "204", "404"};
  std::string out = h2_frame(4, 0, 0, {});
  while (bytes.size() >= 4) {
    const auto type = static_cast<std::uint8_t>(bytes[0]);
    const auto flags = static_cast<std::uint8_t>(bytes[1]);
    const auto stream = static_cast<std::uint8_t>(bytes[2] % 8);
    const auto size = std::min<std::size_t>(static_cast<std::uint8_t>(bytes[3]), bytes.size() - 4);
    const auto payload = bytes.substr(4, size);
    bytes.remove_prefix(4 + size);
    if (type < 96) {
      out += h2_frame(type % 12, flags, stream, payload);
    } else if (type < 128) {
      out += h2_frame(0, flags & 1, stream | 1, payload);
    } else {
      const auto half = payload.size() / 2;
      const auto name = payload.substr(0, half).substr(0, type % 16);
      const auto status = type % 5 == 0 ? std::string_view() : kStatuses[type % kStatuses.size()];
      out += h2_frame(1, static_cast<std::uint8_t>(4 | (flags & 1)), stream | 1,
                      reply_head(status, name, payload.substr(half)));
    }
  }
  return out;
}

/// The server's side of one connection.
struct Far {
  net::Socket socket;
  std::size_t sent = 0;
};

void run(const std::string& bytes, std::uint8_t cancels) {
  boost::asio::io_context loop(1);
  net::Timers timers(loop);
  timers.start();
  net::LoopClock clock(loop);
  net::LentBytes total;
  net::LentBytes::Share lent(&total);
  net::Blocks blocks{{16UL * 1024, 4, &lent}, {64UL * 1024, 4, &lent}, &lent};
  Random random(1);
  const auto row = std::make_shared<balance::Server>();
  std::array<Asking, 5> all;
  {
    boost::asio::basic_socket_acceptor<net::Tcp, net::Executor> acceptor(
        loop, net::Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    acceptor.non_blocking(true);
    upstream::ServerGroupOptions options;
    const auto port = acceptor.local_endpoint().port();
    options.servers.push_back({.host = "127.0.0.1", .port = port, .text = "127.0.0.1"});
    options.http2 = true;
    options.connect_timeout = kLong;
    const auto dialler = upstream::h2_dialler({loop, timers, blocks, clock, random})(options, 0, row);
    for (unsigned i = 0; i < 4; ++i) spawn(ask(*dialler, all[i], i), "fuzzed request");
    std::vector<std::unique_ptr<Far>> fars;
    constexpr unsigned kRounds = 24;
    constexpr std::size_t kMaxConnections = 3;
    for (unsigned round = 0; round < kRounds; ++round) {
      loop.restart();
      loop.poll();
      net::Socket arrived(loop.get_executor());
      boost::system::error_code none;
      acceptor.accept(arrived, none);
      if (!none) fars.push_back(std::make_unique<Far>(Far{std::move(arrived)}));
      if (fars.size() == kMaxConnections) acceptor.close(none);
      for (auto& far : fars) {
        const auto rest = bytes.size() - far->sent;
        const auto sent = ::send(far->socket.native_handle(), bytes.data() + far->sent,
                                 std::min<std::size_t>(rest, 700), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) far->sent += static_cast<std::size_t>(sent);
        std::array<char, 1 << 15> into;
        (void)::recv(far->socket.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
      }
      if (round == 6 && all[4].over == false) spawn(ask(*dialler, all[4], 0), "fuzzed request");
      if (round == 8)
        for (unsigned i = 0; i < all.size(); ++i)
          if ((cancels >> i & 1) != 0 && all[i].attempt != nullptr) all[i].attempt->cancel();
      if (round == 10 && (cancels & 128) != 0) dialler->break_off();
    }
    boost::system::error_code none;
    acceptor.close(none);
    fars.clear();
    const auto over = [&] { return std::all_of(all.begin(), all.end(), [](const auto& each) { return each.over; }); };
    for (int i = 0; i < 64 && !over(); ++i) {
      loop.restart();
      loop.poll();
    }
    if (!over()) {
      dialler->break_off();  // who is still being connected
      loop.restart();
      loop.poll();
    }
    demand(over());
    dialler->stop();
    loop.restart();
    loop.poll();
  }
  timers.stop();
  loop.restart();
  loop.poll();
  demand(row->in_flight.load() == 0);
  lent.add(2 * net::LentBytes::kStep + 1);  // tells the total all that it has counted
  demand(total.read() == 2 * net::LentBytes::kStep + 1);
}

}  // namespace

void h2_server_fuzz(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const auto rest = bytes.substr(2);
  run(bytes[0] % 8 == 0 ? std::string(rest) : frames_of_server(rest), static_cast<std::uint8_t>(bytes[1]));
}

}  // namespace headgate::fuzz
