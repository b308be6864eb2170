#include "worker.hpp"

#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace headgate::server {
namespace {

constexpr std::size_t kSmallBlock = 16UL * 1024;
constexpr std::size_t kLargeBlock = 64UL * 1024;
constexpr std::size_t kSpareSmall = 1024;
constexpr std::size_t kSpareLarge = 64;
constexpr auto kLastResort = std::chrono::seconds(2);
constexpr auto kDrainTick = std::chrono::milliseconds(50);

/// Applies `options` and `tls` to `settings`. If `tls` is null, a listener with TLS keeps its previous one.
void use(const net::ListenOptions& options, net::ServerTlsPtr tls, session::ListenerSettings& settings) {
  if (tls || !options.tls) settings.tls = std::move(tls);
  settings.http2 = options.http2 && !options.tls;
  settings.https_port = options.https_port;
  settings.asked_by = options.from;
  settings.protocol = options.protocol;
  // A rate limit service has no routes that could require a certificate.
  settings.certificates_only =
      options.protocol == net::ListenProtocol::rate_limit_service && options.tls && !options.tls->client_ca.empty();
  settings.settle_within = options.settle_within;
  settings.preamble = options.proxy_protocol ? session::Preamble::proxy_header : session::Preamble::request;
}

}  // namespace

/// The connections of a closed listener, during the time that they have to end.
struct Worker::Closing {
  Closing(Worker& whose, session::ListenerSettingsPtr of) : worker(whose), settings(std::move(of)) {}
  Worker& worker;
  session::ListenerSettingsPtr settings;
  net::Timer over{&Worker::close_over, this};
};

Worker::Worker(const MakeService& make, session::Totals& totals)
    : lent_(&totals.lent),
      blocks_{{kSmallBlock, kSpareSmall, &lent_}, {kLargeBlock, kSpareLarge, &lent_}, &lent_},
      service_(make({.loop = loop_, .timers = timers_, .blocks = blocks_, .clock = clock_, .random = random_})),
      handshakes_(loop_, service_->bounds().handshakes),
      sessions_(service_->handler(), clock_, blocks_, service_->timeouts(), service_->bounds(), totals) {
  sessions_.shake_hands_by(handshakes_, service_->handshakes());
  sessions_.join(loop_);
}

Worker::~Worker() { join(); }

void Worker::start(std::function<void()> ended) {
  timers_.start();
  thread_ = std::thread([this, ended = std::move(ended)] {
    loop_.run();
    {
      const std::lock_guard lock(telling_);
      ended_ = true;
    }
    if (drained_) {  // without a drain, the worker was stopped although a connection had not ended
      loop_.restart();
      loop_.poll();  // runs tasks that were posted after the last step of the loop
    }
    ended();
  });
}

net::ServerTls::Made Worker::make_tls(const net::ServerTlsOptions& options, const net::ServerTlsTexts& texts) {
  if (!tls_library_) tls_library_ = std::make_unique<net::TlsLibrary>();
  return net::ServerTls::make(*tls_library_, options, texts);
}

void Worker::use_tls(ListenerId id, net::ServerTlsPtr tls) {
  boost::asio::post(loop_, [this, id, tls = std::move(tls)] {
    for (auto& door : doors_)
      if (door.id == id) door.settings->tls = tls;
  });
}

void Worker::listen(ListenerId id, const net::ListenOptions& options, net::ServerTlsPtr tls,
                    std::vector<net::BoundSocket> sockets) {
  boost::asio::post(loop_, [this, id, options, tls = std::move(tls), sockets = std::move(sockets)]() mutable {
    auto& door = doors_.emplace_back(Door{id, std::make_shared<session::ListenerSettings>(), {}});
    use(options, std::move(tls), *door.settings);
    door.settings->counters = service_->listener_counters(options.text);
    for (auto& socket : sockets) open_door(door, std::move(socket));
  });
}

void Worker::open_door(Door& door, net::BoundSocket socket) {
  auto& listener = *door.listeners.emplace_back(
      std::make_unique<net::Listener>(loop_, timers_, std::move(socket), service_->listens_for()));
  listener.start(
      [this, settings = door.settings](net::StreamPtr stream) { sessions_.take(std::move(stream), settings); });
}

void Worker::change(ListenerId id, const net::ListenOptions& options, net::ServerTlsPtr tls) {
  boost::asio::post(loop_, [this, id, options, tls = std::move(tls)]() mutable {
    for (auto& door : doors_)
      if (door.id == id) use(options, std::move(tls), *door.settings);
  });
}

void Worker::close(ListenerId id, Duration within) {
  boost::asio::post(loop_, [this, id, within] {
    const auto found = std::find_if(doors_.begin(), doors_.end(), [&](const Door& door) { return door.id == id; });
    if (found == doors_.end()) return;
    auto& closing = closing_.emplace_back(*this, found->settings);
    close_door(std::move(*found));
    doors_.erase(found);
    sessions_.drain(*closing.settings);
    timers_.arm(closing.over, within);
  });
}

/// Closes the listeners. They are destroyed later, because queued handlers of the loop may still use them.
void Worker::close_door(Door door) {
  for (auto& listener : door.listeners) listener->close();
  boost::asio::post(loop_, [closed = std::move(door)] {});
}

void Worker::close_over(void* closing) {
  auto& over = *static_cast<Closing*>(closing);
  auto& worker = over.worker;
  worker.sessions_.close_all(over.settings.get());
  worker.closing_.remove_if([&](const Closing& each) { return &each == &over; });
}

void Worker::drain(Duration delay, Duration within) {
  boost::asio::post(loop_, [this, delay, within] {
    drain_within_ = within;
    sessions_.wind_down();
    if (delay == Duration(0)) return begin_drain(this);
    timers_.arm(delay_, delay);
  });
}

void Worker::hand_over(Duration within) {
  boost::asio::post(loop_, [this, within] {
    drained_by_ = std::chrono::steady_clock::now() + within;
    sessions_.wind_down();
    close_all_doors();
  });
}

void Worker::tell(std::function<void(WorkerService&)> what, std::function<void()> then) {
  {
    const std::lock_guard lock(telling_);
    if (!ended_) {
      boost::asio::post(loop_, [this, what = std::move(what), then = std::move(then)] {
        if (!drained_) {  // after the drain the service is stopped, and nothing would stop the work that it begins
          what(*service_);
          sessions_.use(service_->timeouts(), service_->bounds());
        }
        if (then) then();
      });
      return;
    }
  }
  if (then) then();
}

void Worker::begin_drain(void* self) {
  auto& worker = *static_cast<Worker*>(self);
  worker.drained_by_ = std::chrono::steady_clock::now() + worker.drain_within_;
  worker.sessions_.drain();
  worker.close_all_doors();
}

/// Closes all listeners. The check for remaining connections is posted behind the queued handlers, because one of these
/// may accept a last connection.
void Worker::close_all_doors() {
  for (auto& door : std::exchange(doors_, {})) close_door(std::move(door));
  boost::asio::post(loop_, [this] { check_drained(); });
}

void Worker::check_drained() {
  const auto now = std::chrono::steady_clock::now();
  if (!sessions_.empty() && now >= drained_by_) sessions_.close_all();
  if (!sessions_.empty() && now >= drained_by_ + kLastResort) {
    observe::event(observe::LogLevel::error, "drain_failed",
                   "a connection did not end when it was closed, so the worker ends without it");
    loop_.stop();
  }
  if (!sessions_.empty() || (service_->has_unsent() && now < drained_by_)) return timers_.arm(tick_, kDrainTick);
  if (std::exchange(drained_, true)) return;
  sessions_.leave_neighbours();
  service_->stop();
  timers_.stop();
  open_.reset();
}

void Worker::drain_tick(void* self) { static_cast<Worker*>(self)->check_drained(); }

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace headgate::server
