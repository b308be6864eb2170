#include "headgate/net/connect.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/basic_resolver.hpp>

#include <charconv>
#include <vector>

namespace headgate::net {
namespace {

namespace error = boost::asio::error;
using Resolver = boost::asio::ip::basic_resolver<Tcp, Executor>;
using Endpoints = std::vector<Tcp::endpoint>;
using Clock = std::chrono::steady_clock;
constexpr auto kNamesLast = std::chrono::seconds(30);

/// One attempt: resolve (where needed), connect, or give up at the deadline, whichever is first. Kept alive by its
/// handlers.
struct Attempt : std::enable_shared_from_this<Attempt> {
  Attempt(boost::asio::io_context& loop, Timers& wheel, Endpoints known)
      : resolver(loop), socket(loop), timers(wheel), endpoints(std::move(known)) {}

  void start(const std::string& host, const std::string& port, Duration timeout) {
    timers.arm(timer, timeout);
    if (!endpoints.empty()) return connect();
    resolver.async_resolve(host, port,
                           [self = shared_from_this()](const error_code& ec, const Resolver::results_type& found) {
                             if (self->done) return;
                             if (ec) return self->finish(ec);
                             for (const auto& entry : found) self->endpoints.push_back(entry.endpoint());
                             self->connect();
                           });
  }

  void connect() {
    boost::asio::async_connect(socket, endpoints,
                               [self = shared_from_this()](const error_code& ec, const Tcp::endpoint&) {
                                 if (!self->done) self->finish(ec);
                               });
  }

  void finish(error_code ec) {
    const auto self = shared_from_this();
    done = true;
    result = ec;
    timer.disarm();
    resolver.cancel();
    if (ec) {
      error_code ignored;
      socket.close(ignored);
    }
    if (waiter) std::exchange(waiter, nullptr).resume();
  }

  static void expired(void* self) { static_cast<Attempt*>(self)->finish(error::timed_out); }

  bool await_ready() const noexcept { return done; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  void await_resume() const noexcept {}

  Resolver resolver;
  Socket socket;
  Timers& timers;
  Timer timer{&Attempt::expired, this};
  Endpoints endpoints;
  bool done = false;
  error_code result;
  std::coroutine_handle<> waiter;
};

struct AttemptDone {
  Attempt& attempt;
  bool await_ready() const noexcept { return attempt.await_ready(); }
  void await_suspend(std::coroutine_handle<> handle) const noexcept { attempt.await_suspend(handle); }
  void await_resume() const noexcept {}
};

}  // namespace

struct Connector::State {
  boost::asio::io_context& loop;
  Timers& timers;
  std::string host;
  std::string port;
  Endpoints known;
  bool literal = false;
  bool stopped = false;
  Clock::time_point resolved_at;
  std::vector<std::weak_ptr<Attempt>> under_way;
  std::size_t tidied = 0;  // attempts that were under way when the others were last taken out

  /// Attempts that are over are taken out when there may be as many of them as others: not at each new one, of which
  /// there are thousands while a server does not answer.
  void note(const std::shared_ptr<Attempt>& attempt) {
    if (under_way.size() > 2 * tidied) {
      std::erase_if(under_way, [](const auto& one) { return one.expired(); });
      tidied = under_way.size();
    }
    under_way.push_back(attempt);
  }
};

Connector::Connector(boost::asio::io_context& loop, Timers& timers, std::string host, std::uint16_t port)
    : state_(std::make_shared<State>(
          State{loop, timers, std::move(host), std::to_string(port), {}, false, false, {}, {}, 0})) {
  error_code ec;
  const auto address = boost::asio::ip::make_address(state_->host, ec);
  if (ec) return;
  state_->known.emplace_back(address, port);
  state_->literal = true;
}

Connector::~Connector() = default;

Task<Result<StreamPtr>> Connector::connect(Duration timeout) {
  const auto state = state_;  // outlives this Connector where a worker stops while we wait
  if (state->stopped) co_return error_code(error::operation_aborted);
  if (!state->literal && Clock::now() - state->resolved_at > kNamesLast) state->known.clear();
  const bool resolves = state->known.empty();
  const auto attempt = std::make_shared<Attempt>(state->loop, state->timers, state->known);
  state->note(attempt);
  attempt->start(state->host, state->port, timeout);
  AttemptDone finished{*attempt};
  co_await finished;
  if (resolves && !attempt->endpoints.empty()) {
    state->known = attempt->endpoints;
    state->resolved_at = Clock::now();
  }
  if (attempt->result) {
    if (!state->literal) state->known.clear();  // the name may point elsewhere by now
    co_return attempt->result;
  }
  co_return StreamPtr(new Stream(std::move(attempt->socket), state->timers));
}

void Connector::stop() {
  state_->stopped = true;
  const auto under_way = std::move(state_->under_way);
  for (const auto& one : under_way) {
    if (const auto attempt = one.lock(); attempt && !attempt->done) attempt->finish(error::operation_aborted);
  }
}

}  // namespace headgate::net
