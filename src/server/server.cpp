#include "headgate/server/server.hpp"

#include "stray_signals.hpp"
#include "worker.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace headgate::server {
namespace {

using observe::event;
using observe::LogLevel;

/// Two descriptors a proxied connection: as many as the system allows without asking.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "headgate: %s\n", why.c_str());
  return 1;
}

using Workers = std::vector<std::unique_ptr<Worker>>;

/// The same addresses on every worker; a port the system picked for the first is used by the others.
Result<void, std::string> listen_all(Workers& workers, std::vector<net::ListenOptions> addresses) {
  for (auto& address : addresses) {
    for (auto& worker : workers) {
      auto listener = worker->listen(address);
      if (listener.has_error()) return listener.error();
      address.port = (*listener)->port();
      if (worker != workers.front()) continue;
      const std::string where = (*listener)->address();
      event(LogLevel::info, "listening", "listening on " + where, {{"address", where}});
    }
  }
  return {};
}

void tell_all(Workers& workers, const Change& what) {
  const auto left = std::make_shared<std::atomic<std::size_t>>(workers.size());
  for (auto& worker : workers) {
    worker->tell([what, left](Service& service) {
      what.make(service);
      if (--*left == 0 && what.made) what.made();
    });
  }
}

/// The signals of a running process: HUP changes the services, USR1 reopens the logs, the first TERM or INT drains, a
/// second one ends at once.
class SignalWatch {
 public:
  SignalWatch(boost::asio::io_context& loop, const Signals& told, Workers& workers, const Options& options)
      : set_(loop, SIGTERM, SIGINT), told_(told), workers_(workers), options_(options) {
    if (told_.reload) set_.add(SIGHUP);
    if (told_.reopen_logs) set_.add(SIGUSR1);
  }

  ~SignalWatch() {
    set_.clear();
    if (told_.reload) std::signal(SIGHUP, SIG_IGN);
    std::signal(SIGUSR1, SIG_IGN);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  void wait() {
    set_.async_wait([this](const error_code& ec, int signal) {
      if (ec) return;
      signal == SIGHUP ? change() : signal == SIGUSR1 ? told_.reopen_logs() : end(signal);
      wait();
    });
  }
  /// From here on nothing is left to reload or to reopen, and SIGTERM ends at once.
  void cancel() {
    set_.cancel();
    set_.remove(SIGTERM);
    set_.remove(SIGINT);
  }

 private:
  void change() {
    if (draining_) return;
    if (const auto what = told_.reload()) tell_all(workers_, *what);
  }

  void end(int signal) {
    if (draining_) std::_Exit(1);
    draining_ = true;
    if (told_.draining) told_.draining();
    const auto delay = options_.drain_delay;
    const auto listens = delay > Duration(0) ? "listening for " + to_text(delay) + " more, then " : std::string();
    event(LogLevel::info, "draining", listens + "finishing what is in flight",
          {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
    for (auto& worker : workers_) worker->drain(delay, options_.drain);
  }

  boost::asio::signal_set set_;
  const Signals& told_;
  Workers& workers_;
  const Options& options_;
  bool draining_ = false;
};

}  // namespace

unsigned worker_count(unsigned wanted) noexcept {
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

int serve(boost::asio::io_context& main_loop, const Options& options, const MakeService& make, const Signals& signals) {
  raise_descriptor_limit();
  ignore_stray_signals();
  Workers workers;
  // Before any thread: the signals are this loop's, and a connection in the first moment finds them handled.
  SignalWatch watch(main_loop, signals, workers, options);
  for (const auto& address : options.listen) {
    if (address.port == 0) continue;
    if (const auto free = net::check_free(main_loop, address); free.has_error()) return refuse(free.error());
  }
  std::atomic<std::uint32_t> connections{0};
  const unsigned count = worker_count(options.workers);
  for (unsigned i = 0; i < count; ++i) workers.push_back(std::make_unique<Worker>(options, make, connections));
  if (const auto listening = listen_all(workers, options.listen); listening.has_error())
    return refuse(listening.error());

  auto running = count;
  for (auto& worker : workers) {
    worker->start([&] {
      boost::asio::post(main_loop, [&] {
        if (--running > 0) return;
        watch.cancel();
        if (signals.ended) signals.ended();
      });
    });
  }
  event(LogLevel::info, "started", "headgate " HEADGATE_VERSION " has started",
        {{"version", HEADGATE_VERSION}, {"workers", count}});
  watch.wait();
  if (signals.started) signals.started([&workers](const Change& change) { tell_all(workers, change); });
  main_loop.run();
  for (auto& worker : workers) worker->join();
  event(LogLevel::info, "stopped", "every worker has ended");
  return 0;
}

}  // namespace headgate::server
