#include "h2_pool.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace headgate::upstream {
namespace {

namespace asio_error = boost::asio::error;

}  // namespace

H2Pool::H2Pool(Environment environment, const ServerGroupOptions& options, std::size_t at, const TlsUse& tls,
               balance::ServerPtr row)
    : ServerDialler(environment, options, at, tls, std::move(row)) {}

/// Ends the connections. All attempts have already ended, so the connections have at most frames for which no exchange
/// waits.
H2Pool::~H2Pool() {
  stop();
  const auto links = links_;
  for (const auto& link : links) link->lose(asio_error::operation_aborted);
}

/// Returns an attempt on the first connection with room, so that the others become idle and are closed. An idle
/// connection is checked first, which may show that it has ended.
CountedAttemptPtr H2Pool::take(std::size_t at, std::uint64_t since) {
  for (std::size_t i = 0; i < links_.size();) {
    const H2LinkPtr link = links_[i];
    bool fits = link->number() > since && has_room(*link);
    if (fits && link->idle()) {
      link->look();
      fits = link->has_room();
    }
    if (fits) {
      CountedAttemptPtr attempt(new H2Attempt(link));
      attempt->lend(at);
      return attempt;
    }
    if (i < links_.size() && links_[i] == link) ++i;
  }
  return nullptr;
}

CountedAttemptPtr H2Pool::take_idle(std::size_t at) noexcept { return take(at, 0); }

Duration H2Pool::left_until(Clock::Steady until) const {
  return std::max(std::chrono::duration_cast<Duration>(until - environment_.clock.steady()), Duration(1));
}

Task<Result<CountedAttemptPtr, Failure>> H2Pool::connect(std::size_t at) {
  const WaitsForConnection waits(*row_);
  const auto until = environment_.clock.steady() + connect_timeout_;
  const auto since = made_;
  while (waiting_.size() < served_by_dials()) {
    Waiter one(environment_.timers);
    waiting_.push_back(&one);
    const error_code woken = co_await one.wake.wait(left_until(until));
    std::erase(waiting_, &one);
    if (auto attempt = take(at, since)) co_return attempt;
    if (one.failed) co_return *one.failed;
    if (woken.failed()) co_return Failure{.what = Failed::connect_timeout, .cause = woken, .server = name_};
  }
  ++dials_;
  auto made = co_await dial(until);
  --dials_;
  std::optional<Failure> failed;
  if (made.has_value())
    (*made)->lend(at);
  else
    failed = made.error();
  serve_waiting(failed);
  co_return made;
}

bool H2Pool::has_room(const H2Link& link) const noexcept { return link.has_room() && leads_to(link.to()); }

/// Called when a connection was made or has failed. Waiters get the streams that are available. Other waiters continue
/// to wait if enough connections are being made; if not, a waiter fails with `failed` or makes its own connection.
void H2Pool::serve_waiting(const std::optional<Failure>& failed) {
  const auto any_room = [this] {
    return std::any_of(links_.begin(), links_.end(), [this](const auto& link) { return has_room(*link); });
  };
  // A woken waiter may wait again, behind all others.
  for (auto left = waiting_.size(); left > 0 && !waiting_.empty(); --left) {
    if (waiting_.size() <= served_by_dials() && (failed || !any_room())) return;
    auto* const next = waiting_.front();
    waiting_.pop_front();
    next->failed = failed;
    next->wake.wake();
  }
}

Task<Result<CountedAttemptPtr, Failure>> H2Pool::dial(Clock::Steady until) {
  auto connected = co_await call(left_until(until));
  if (connected.has_error()) co_return connected.error();
  if (tls_.context && connected->stream->transport().protocol() != "h2")
    co_return handshakes().no_http2("it does not agree on HTTP/2 (ALPN)");
  const H2LinkPtr link(new H2Link(*this, std::move(*connected), end_of_life()));
  links_.push_back(link);
  CountedAttemptPtr first(new H2Attempt(link));  // created before anything arrives, so that the connection is not idle
  auto greeted = link->begin() ? co_await link->greeted(left_until(until)) : error_code(asio_error::no_memory);
  if (taken_down()) co_return down();
  if (!greeted.failed() && link->room() == 0) greeted = asio_error::no_buffer_space;
  if (greeted.failed()) {
    link->lose(greeted);
    co_return not_greeted(greeted);
  }
  room_ = link->room();
  link->enter(++made_);
  co_return first;
}

Failure H2Pool::not_greeted(error_code why) {
  if (stopped_) return {.what = Failed::no_connection, .cause = asio_error::operation_aborted, .server = name_};
  if (why == asio_error::timed_out)
    return {.what = Failed::connect_timeout,
            .cause = why,
            .why = "it did not begin to speak HTTP/2 in time",
            .server = name_};
  if (why == asio_error::no_memory) return {.what = Failed::no_connection, .cause = why, .server = name_};
  if (why == asio_error::no_buffer_space) return handshakes().no_http2("it accepts no HTTP/2 streams");
  if (why == asio_error::eof) return handshakes().no_http2("it closes the connection instead of speaking HTTP/2");
  return handshakes().no_http2("it does not speak HTTP/2");
}

void H2Pool::lead_to(const std::vector<net::Tcp::endpoint>& addresses) {
  if (!follow(addresses)) return;
  const auto links = links_;  // a copy, because a connection that ends leaves the list
  for (const auto& link : links)
    if (link->number() > 0 && !leads_to(link->to())) link->retire();
}

/// Takes an attempt back. Its connection stays open whatever happened to the attempt.
void H2Pool::give_back(CountedAttemptPtr attempt) { attempt->take_back(); }

void H2Pool::break_off() {
  connector_.end_calls();
  const auto links = links_;
  for (const auto& link : links) link->lose(asio_error::operation_aborted, true);
}

void H2Pool::stop() {
  stopped_ = true;
  connector_.stop();
  const auto links = links_;
  for (const auto& link : links) link->retire();
}

void H2Pool::forget(H2Link& link) {
  std::erase_if(links_, [&link](const auto& each) { return each.get() == &link; });
}

bool H2Pool::keeps(const H2Link& link) const noexcept {
  if (stopped_ || !leads_to(link.to())) return false;
  const auto idle =
      std::count_if(links_.begin(), links_.end(), [](const auto& each) { return each->number() > 0 && each->idle(); });
  return idle <= static_cast<std::ptrdiff_t>(max_idle_);
}

Dial h2_dialler(Environment environment, TlsUse tls) {
  return [environment, tls = std::move(tls)](const ServerGroupOptions& options, std::size_t at,
                                             const balance::ServerPtr& row) {
    return std::make_shared<H2Pool>(environment, options, at, tls, row);
  };
}

}  // namespace headgate::upstream
