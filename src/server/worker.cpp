#include "worker.hpp"

#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>

#include <exception>

namespace headgate::server {
namespace {

constexpr std::size_t kLargeBlock = 64UL * 1024;
constexpr std::size_t kSpareSmall = 1024;
constexpr std::size_t kSpareLarge = 64;
constexpr auto kLastResort = std::chrono::seconds(2);
constexpr auto kDrainTick = std::chrono::milliseconds(50);

}  // namespace

Worker::Worker(const Options& options, const MakeService& make, std::atomic<std::uint32_t>& connections)
    : blocks_{{std::max<std::size_t>(options.bounds.head_bytes, 16UL * 1024), kSpareSmall}, {kLargeBlock, kSpareLarge}},
      handshakes_(loop_, options.bounds.handshakes),
      service_(make({.loop = loop_, .timers = timers_, .blocks = blocks_, .clock = clock_})),
      sessions_(service_->handler(), clock_, blocks_, service_->timeouts(), options.bounds, connections) {
  sessions_.shake_hands_by(handshakes_, service_->handshakes());
}

Worker::~Worker() { join(); }

Result<net::Listener*, std::string> Worker::listen(const net::ListenOptions& options) {
  auto opened = net::Listener::open(loop_, timers_, options);
  if (opened.has_error()) return opened.error();
  listeners_.push_back(std::move(*opened));
  return listeners_.back().get();
}

void Worker::start(std::function<void()> ended) {
  timers_.start();
  for (auto& listener : listeners_) {
    const auto preamble = listener->proxy_protocol() ? gateway::Preamble::proxy_header : gateway::Preamble::request;
    listener->start([this, preamble, &each = *listener](net::StreamPtr stream) {
      if (each.secure() && !each.tls()) return stream->close();  // never in clear
      sessions_.take(std::move(stream), preamble, each.tls(), each.https_port());
    });
  }
  thread_ = std::thread([this, ended = std::move(ended)] {
    loop_.run();
    ended();
  });
}

net::ServerTls::Made Worker::make_tls(const net::ServerTlsOptions& options, const net::ServerTlsTexts& texts) {
  if (!tls_library_) tls_library_ = std::make_unique<net::TlsLibrary>();
  return net::ServerTls::make(*tls_library_, options, texts);
}

void Worker::use_tls(std::size_t listener, net::ServerTlsPtr tls) {
  boost::asio::post(loop_, [this, listener, tls = std::move(tls)] { listeners_[listener]->use_tls(tls); });
}

void Worker::drain(Duration delay, Duration within) {
  boost::asio::post(loop_, [this, delay, within] {
    drain_within_ = within;
    sessions_.wind_down();
    if (delay == Duration(0)) return begin_drain(this);
    timers_.arm(delay_, delay);
  });
}

void Worker::tell(std::function<void(Service&)> what) {
  boost::asio::post(loop_, [this, what = std::move(what)] {
    what(*service_);
    sessions_.use(service_->timeouts());
  });
}

void Worker::begin_drain(void* self) {
  auto& worker = *static_cast<Worker*>(self);
  worker.drained_by_ = std::chrono::steady_clock::now() + worker.drain_within_;
  for (auto& listener : worker.listeners_) listener->close();
  worker.sessions_.drain();
  worker.check_drained();
}

void Worker::check_drained() {
  const auto now = std::chrono::steady_clock::now();
  if (!sessions_.empty() && now >= drained_by_) sessions_.close_all();
  if (!sessions_.empty() && now >= drained_by_ + kLastResort) {
    observe::event(observe::LogLevel::error, "drain_failed", "a connection did not end when broken off; leaving it");
    loop_.stop();
  }
  if (!sessions_.empty()) return timers_.arm(tick_, kDrainTick);
  service_->stop();
  timers_.stop();
}

void Worker::drain_tick(void* self) { static_cast<Worker*>(self)->check_drained(); }

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace headgate::server
