#include "h1_pool.hpp"

#include <algorithm>
#include <utility>

namespace headgate::upstream {
namespace {

/// Maximum number of times that an idle connection may be woken by TLS messages without data, such as tickets and key
/// updates. Servers send one or two.
constexpr unsigned kWakes = 16;

}  // namespace

H1Pool::H1Pool(Environment environment, const ServerGroupOptions& options, std::size_t at, const TlsUse& tls,
               balance::ServerPtr row)
    : ServerDialler(environment, options, at, tls, std::move(row)),
      readiness_(boost::asio::use_service<net::Readiness>(environment.loop)) {}

void H1Pool::note_look() noexcept {
  if (looks_ == readiness_.looks()) return;
  looks_ = readiness_.looks();
  rested_ = idle_.size();
}

/// Returns whether an idle connection is open and has no unrequested bytes. Such bytes would be read as the answer to
/// the next request, and on a closed connection the next request would fail. If the connection was already idle in the
/// current poll, its state is known from that; otherwise the kernel is asked.
bool H1Pool::is_silent(H1Connection& connection, bool rested) const noexcept {
  auto& stream = *connection.stream_;
  const bool known = rested && readiness_.tells() && stream.is_open() && !stream.transport().readable();
  return known || stream.silent();
}

CountedAttemptPtr H1Pool::take_idle(std::size_t at) noexcept {
  note_look();
  // A poll costs as much as a question to the kernel about one connection, but shows the state of all connections.
  if (!idle_.empty() && (rested_ == 0 || !readiness_.tells()) && readiness_.look_again()) note_look();
  while (!idle_.empty()) {
    const bool rested = rested_ > 0;
    if (rested) std::swap(idle_[--rested_], idle_.back());
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    connection->stream_->unwatch();
    if (!is_silent(*connection, rested)) continue;
    connection->reused_ = true;
    connection->lend(at);
    return connection;
  }
  return nullptr;
}

Task<Result<CountedAttemptPtr, Failure>> H1Pool::connect(std::size_t at) {
  const WaitsForConnection connecting(*row_);
  auto connected = co_await call(connect_timeout_);
  if (connected.has_error()) co_return connected.error();
  const H1ConnectionPtr connection(
      new H1Connection(std::move(connected->stream), environment_.blocks, environment_.clock, *this, head_bytes_));
  all_.push_back(*connection);
  connection->to_ = connected->to;
  connection->closes_at_ = end_of_life();
  connection->lend(at);
  co_return CountedAttemptPtr(connection);
}

void H1Pool::lead_to(const std::vector<net::Tcp::endpoint>& addresses) {
  if (!follow(addresses)) return;
  std::erase_if(idle_, [this](const auto& connection) { return !leads_to(connection->to_); });
  rested_ = 0;
}

void H1Pool::give_back(CountedAttemptPtr attempt) {
  auto connection = boost::static_pointer_cast<H1Connection>(std::move(attempt));
  connection->take_back();
  if (stopped_ || !connection->reusable() || idle_.size() >= max_idle_ || !leads_to(connection->to_)) return;
  auto time = idle_timeout_;
  if (connection->closes_at_ != Clock::Steady()) {
    const auto left = connection->closes_at_ - environment_.clock.steady();
    if (left <= Duration(0)) return;
    time = std::min(time, std::chrono::duration_cast<Duration>(left));
  }
  connection->read_buffer_.release();
  if (tls_.context) connection->begin_idle(environment_.clock.steady() + time);
  // Idle connections are watched, so that a close is noticed before the next request is sent.
  connection->stream_->watch(&H1Pool::idle, this, time);
  note_look();
  idle_.push_back(std::move(connection));
}

void H1Pool::idle(void* self, net::Stream& stream) {
  auto& pool = *static_cast<H1Pool*>(self);
  auto& idle = pool.idle_;
  const auto at =
      std::find_if(idle.begin(), idle.end(), [&](const auto& one) { return one->stream_.get() == &stream; });
  if (at == idle.end() || pool.stays_idle(**at)) return;
  if (static_cast<std::size_t>(at - idle.begin()) < pool.rested_) --pool.rested_;
  idle.erase(at);
}

/// Returns whether an idle connection with an event stays idle. Over TLS, the event may be a message without
/// application data; the idle timeout then continues.
bool H1Pool::stays_idle(H1Connection& connection) {
  auto& stream = *connection.stream_;
  if (!tls_.context || stream.timed_out() || ++connection.wakes_ > kWakes || !stream.silent()) return false;
  const auto left = std::chrono::duration_cast<Duration>(connection.idle_until_ - environment_.clock.steady());
  if (left <= Duration(0)) return false;
  stream.watch(&H1Pool::idle, this, left);
  return true;
}

// Ends all attempts. Exchanges are woken only after the loop over the list, because a woken exchange may begin and end
// other attempts. Only streams are held meanwhile, and no attempts, because the server of an attempt may be destroyed
// together with its exchange.
void H1Pool::break_off() {
  idle_.clear();
  rested_ = 0;
  std::vector<net::StreamPtr> lent;
  for (auto& connection : all_) lent.push_back(connection.break_off());
  connector_.end_calls();
  for (const auto& stream : lent) stream->interrupt();
}

void H1Pool::stop() {
  stopped_ = true;
  connector_.stop();
  idle_.clear();
  rested_ = 0;
}

Dial h1_dialler(Environment environment, TlsUse tls) {
  return [environment, tls = std::move(tls)](const ServerGroupOptions& options, std::size_t at,
                                             const balance::ServerPtr& row) {
    return std::make_shared<H1Pool>(environment, options, at, tls, row);
  };
}

}  // namespace headgate::upstream
