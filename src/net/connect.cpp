#include "headgate/net/connect.hpp"

#include "socket.hpp"

#include "headgate/core/time.hpp"
#include "headgate/net/descriptors.hpp"
#include "headgate/net/tls/tls.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/basic_resolver.hpp>

#include <algorithm>
#include <utility>

namespace headgate::net {
namespace {

namespace error = boost::asio::error;
using Resolver = boost::asio::ip::basic_resolver<Tcp, Executor>;
using Endpoints = std::vector<Tcp::endpoint>;
using At = ConnectError::At;
constexpr auto kNamesLast = std::chrono::seconds(30);
constexpr auto kTriedLast = std::chrono::seconds(10);

/// The steps of one connect(): the name, then one address after another, each with a deadline. Asio's handlers keep it
/// alive. The handler of a wait that has ended finds another number in `wait`, and does nothing.
struct Attempt : std::enable_shared_from_this<Attempt> {
  Attempt(boost::asio::io_context& loop, Timers& wheel) : resolver(loop), timers(wheel) {}

  void look_up(const std::string& host, const std::string& port, Duration timeout) {
    begin(timeout);
    // The flag "address configured" is not used: on a machine that has only loopback interfaces, it would leave out
    // ::1.
    resolver.async_resolve(
        host, port, Resolver::numeric_service,
        [self = shared_from_this(), wait = wait](const error_code& ec, const Resolver::results_type& found) {
          if (self->wait != wait) return;
          for (const auto& entry : found) self->addresses.push_back(entry.endpoint());
          self->finish(ec || !self->addresses.empty() ? ec : error_code(error::host_not_found));
        });
  }

  void begin(Duration timeout) {
    done = false;
    if (timeout != kForever) timers.arm(timer, timeout);
  }

  void finish(error_code ec) {
    const auto self = shared_from_this();
    ++wait;
    done = true;
    result = ec;
    timer.disarm();
    resolver.cancel();
    if (waiter) std::exchange(waiter, nullptr).resume();
  }

  /// Ends the attempt. After the name is resolved, the coroutine waits for the stream, so the stream is interrupted as
  /// well.
  void stop() {
    stopped = true;
    if (!done) finish(error::operation_aborted);
    if (const auto open = stream) open->interrupt();
  }

  static void expired(void* self) { static_cast<Attempt*>(self)->finish(error::timed_out); }

  Resolver resolver;
  Timers& timers;
  Timer timer{&Attempt::expired, this};
  Endpoints addresses;
  StreamPtr stream;
  bool done = true;
  bool stopped = false;
  unsigned wait = 0;
  error_code result;
  std::coroutine_handle<> waiter;
};

/// The awaitable for an Attempt. Unlinks itself when its frame is destroyed.
class Done {
 public:
  explicit Done(Attempt& attempt) noexcept : attempt_(attempt) {}
  Done(const Done&) = delete;
  Done& operator=(const Done&) = delete;
  ~Done() { attempt_.waiter = nullptr; }
  bool await_ready() const noexcept { return attempt_.done; }
  void await_suspend(std::coroutine_handle<> handle) const noexcept { attempt_.waiter = handle; }
  error_code await_resume() const noexcept { return attempt_.result; }

 private:
  Attempt& attempt_;
};

SteadyClock::time_point after(Duration timeout) {
  return timeout == kForever ? SteadyClock::time_point::max() : SteadyClock::now() + timeout;
}

Duration left_of(SteadyClock::time_point until) {
  if (until == SteadyClock::time_point::max()) return kForever;
  return std::max(std::chrono::duration_cast<Duration>(until - SteadyClock::now()), Duration(0));
}

/// Opens a socket that is connecting or connected. Asio's connect is not used, because it would add the socket to its
/// epoll set and remove it again.
Result<int> dial(const Tcp::endpoint& to) noexcept {
  const int descriptor = ::socket(to.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (descriptor < 0) return socket::failure();
  error_code ec;
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // The last descriptors are reserved for the admin interface.
  if (descriptor >= descriptor_shares().servers)
    ec = error::no_descriptors;
  else if (::connect(descriptor, to.data(), static_cast<socklen_t>(to.size())) != 0 && errno != EINPROGRESS)
    ec = socket::failure();
  if (!ec) return descriptor;
  ::close(descriptor);
  return ec;
}

ConnectError failed(At at, error_code code) {
  return {.at = at, .code = code, .distrusted = false, .reason = code.message()};
}

}  // namespace

struct Connector::State {
  State(boost::asio::io_context& of, Timers& wheel, std::string name, std::uint16_t number)
      : loop(of), timers(wheel), host(std::move(name)), port(std::to_string(number)) {
    error_code ec;
    const auto address = boost::asio::ip::make_address(host, ec);
    if (ec) return;
    known.emplace_back(address, number);
    literal = true;
  }

  /// Adds an attempt to the list. Attempts that have ended are removed only when the list has doubled: while a server
  /// does not answer, there are thousands of attempts, and a search for each one would be slow.
  void note(const std::shared_ptr<Attempt>& attempt) {
    if (under_way.size() > 2 * tidied) {
      std::erase_if(under_way, [](const auto& one) { return one.expired(); });
      tidied = under_way.size();
    }
    under_way.push_back(attempt);
  }

  /// Fills `known` with the addresses to try. The error is the reason why there are none. If the resolver fails, its
  /// last answer stays in use, so that servers that work can still be reached.
  Task<error_code> find(Attempt& attempt, Duration timeout) {
    if (!literal && !told && SteadyClock::now() - resolved_at > kNamesLast) known.clear();
    if (!known.empty()) co_return error_code();
    at = At::name;
    Done found(attempt);
    const bool can_fall_back = !last_found.empty() && timeout != kForever;
    attempt.look_up(host, port, can_fall_back ? timeout / 2 : timeout);
    const error_code ec = co_await found;
    if (ec && (last_found.empty() || attempt.stopped)) co_return ec;
    if (!ec) {
      last_found = std::move(attempt.addresses);
      alternate_families(last_found);
    }
    known = last_found;
    resolved_at = SteadyClock::now();
    co_return error_code();
  }

  /// Returns the addresses in the order for one connect(); each call begins with the next address.
  Endpoints in_turn() {
    auto out = known;
    std::rotate(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(turn++ % out.size()), out.end());
    if (failed_lately.empty()) return out;
    const auto now = SteadyClock::now();
    std::erase_if(failed_lately, [&](const auto& one) { return now - one.second > kTriedLast; });
    std::stable_partition(out.begin(), out.end(), [&](const auto& address) {
      return std::none_of(failed_lately.begin(), failed_lately.end(),
                          [&](const auto& one) { return one.first == address; });
    });
    return out;
  }

  void note_failure(const Tcp::endpoint& address) {
    std::erase_if(failed_lately, [&](const auto& one) { return one.first == address; });
    failed_lately.emplace_back(address, SteadyClock::now());
  }

  /// Connects to one address. `options` must stay valid until the task is done.
  Task<Result<StreamPtr, ConnectError>> reach(Attempt& attempt, Tcp::endpoint endpoint, const ConnectOptions& options,
                                              SteadyClock::time_point until) {
    at = At::address;
    const auto opened = dial(endpoint);
    if (opened.has_error()) {
      if (is_own_want(opened.error())) note_own_want();
      co_return failed(At::address, opened.error());
    }
    StreamPtr stream(new Stream(*opened, loop, timers));
    attempt.stream = stream;
    const auto connected = co_await stream->flush(left_of(until));
    if (connected.has_error()) {
      attempt.stream = nullptr;
      stream->close();
      co_return failed(At::address, connected.error());
    }
    if (!options.tls) {
      attempt.stream = nullptr;
      co_return stream;
    }
    at = At::handshake;
    auto secured = co_await secure(*stream, *options.tls, host, {}, left_of(until), options.session);
    attempt.stream = nullptr;
    if (secured.has_value()) co_return stream;
    stream->close();
    const auto& why = secured.error();
    ConnectError error{.at = At::handshake, .code = why.code, .distrusted = why.distrusted, .reason = why.reason};
    co_return error;
  }

  boost::asio::io_context& loop;
  Timers& timers;
  std::string host;
  std::string port;
  Endpoints known;
  Endpoints last_found;  // used while the resolver fails
  std::vector<std::pair<Tcp::endpoint, SteadyClock::time_point>> failed_lately;
  std::size_t turn = 0;
  bool literal = false;
  bool told = false;  // set by use()
  bool stopped = false;
  At at = At::name;
  SteadyClock::time_point resolved_at;
  std::vector<std::weak_ptr<Attempt>> under_way;
  std::size_t tidied = 0;  // size of under_way after the last removal
};

Connector::Connector(boost::asio::io_context& loop, Timers& timers, std::string host, std::uint16_t port)
    : state_(std::make_shared<State>(loop, timers, std::move(host), port)) {}

Connector::~Connector() = default;

Task<Result<Connected, ConnectError>> Connector::connect(ConnectOptions options) {
  const auto state = state_;  // keeps the state alive if this Connector is destroyed meanwhile
  if (state->stopped) co_return failed(At::name, error::operation_aborted);
  const auto attempt = std::make_shared<Attempt>(state->loop, state->timers);
  state->note(attempt);
  const auto until = after(options.whole);
  const error_code unknown = co_await state->find(*attempt, options.whole);
  if (unknown) co_return failed(At::name, unknown);

  Endpoints addresses;
  if (options.in_turn && state->known.size() > 1)
    addresses = state->in_turn();
  else
    addresses = state->known;
  auto why = failed(At::address, error::host_unreachable);
  for (auto i = options.skip; i < addresses.size(); ++i) {
    const auto left = left_of(until);
    // The time left is divided, so that an address that never answers does not use up the time of the addresses after
    // it.
    const auto share = left == kForever ? left : left / static_cast<Duration::rep>(addresses.size() - i);
    auto reached = co_await state->reach(*attempt, addresses[i], options, after(std::min(share, options.each)));
    if (reached.has_value()) {
      Connected connected{.stream = std::move(*reached),
                          .to = addresses[i],
                          .address = i,
                          .last = i + 1 == addresses.size(),
                          .resumed = options.session && options.session->resumed()};
      co_return connected;
    }
    if (reached.error().at >= why.at) why = std::move(reached.error());
    if (attempt->stopped || is_own_want(why.code)) break;
    if (options.in_turn && addresses.size() > 1) state->note_failure(addresses[i]);
  }
  if (attempt->stopped) co_return failed(why.at, error::operation_aborted);
  // The name is resolved again next time, because it may have other addresses by now. A lack of descriptors is no
  // reason for this.
  if (!state->literal && !is_own_want(why.code)) state->known.clear();
  co_return why;
}

void Connector::use(std::vector<Tcp::endpoint> addresses) {
  auto& state = *state_;
  if (state.literal || addresses.empty()) return;
  alternate_families(addresses);
  state.known = state.last_found = std::move(addresses);
  state.told = true;
}

ConnectError::At Connector::at() const noexcept { return state_->at; }

void Connector::stop() {
  state_->stopped = true;
  end_calls();
}

void Connector::end_calls() {
  const auto state = state_;
  const auto under_way = std::exchange(state->under_way, {});
  for (const auto& one : under_way) {
    if (const auto attempt = one.lock()) attempt->stop();
  }
}

void alternate_families(std::vector<Tcp::endpoint>& addresses) {
  const auto first = addresses.empty() || addresses.front().address().is_v6();
  Endpoints others;
  Endpoints firsts;
  for (const auto& one : addresses) (one.address().is_v6() == first ? firsts : others).push_back(one);
  addresses.clear();
  for (std::size_t i = 0; i < std::max(firsts.size(), others.size()); ++i) {
    if (i < firsts.size()) addresses.push_back(firsts[i]);
    if (i < others.size()) addresses.push_back(others[i]);
  }
}

}  // namespace headgate::net
