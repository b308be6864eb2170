#include "headgate/server/server.hpp"

#include "process.hpp"
#include "workers.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace headgate::server {
namespace {

using observe::event;
using observe::LogLevel;

/// Raises the descriptor limit as far as the system allows, because a proxied connection needs two.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int refuse(const std::string& why) {
  if (!tell_replaced(why)) std::fprintf(stderr, "headgate: %s\n", why.c_str());
  return 1;
}

/// Receives the signals of a running process. HUP, USR1 and USR2 are passed to the program. The first TERM or INT
/// drains, and a second one ends the process at once.
class SignalWatch {
 public:
  SignalWatch(boost::asio::io_context& loop, bool reloads, Program& program)
      : set_(loop, SIGTERM, SIGINT), reloads_(reloads), program_(program) {
    if (!reloads) return;
    set_.add(SIGHUP);
    set_.add(SIGUSR1);
    set_.add(SIGUSR2);
  }

  ~SignalWatch() {
    set_.clear();
    if (reloads_) std::signal(SIGHUP, SIG_IGN);
    for (const int each : {SIGUSR1, SIGUSR2}) std::signal(each, SIG_IGN);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  void wait(Workers& workers) {
    set_.async_wait([this, &workers](const error_code& ec, int signal) {
      if (ec) return;
      take(signal, workers);
      if (state_ != State::ended) wait(workers);
    });
  }
  /// Called when no worker runs any more. From then on there is nothing to reload, and SIGTERM ends the process at
  /// once.
  void cancel() {
    state_ = State::ended;  // the handler of a signal that was already received must not begin another wait
    set_.cancel();
    set_.remove(SIGTERM);
    set_.remove(SIGINT);
  }

 private:
  void take(int signal, Workers& workers) {
    if (signal == SIGUSR1) return program_.reopen_logs();
    if (signal == SIGTERM || signal == SIGINT) return end(signal, workers);
    if (state_ != State::serving) return;
    if (signal == SIGHUP) return program_.reload();
    program_.upgrade([this, &workers] { hand_over(workers); });
  }

  /// Called when clients connect to the new process. From then on, this process only waits for its existing
  /// connections.
  void hand_over(Workers& workers) {
    if (state_ != State::serving) return;
    state_ = State::handed_over;
    const auto within = program_.upgrade_drain();
    program_.draining(within);
    event(LogLevel::info, "draining", "another process serves now, and this one finishes its requests in flight",
          {{"at_most", to_text(within)}});
    workers.hand_over(within);
  }

  void end(int signal, Workers& workers) {
    if (state_ == State::draining || state_ == State::ended) std::_Exit(1);
    auto times = program_.drain_times();
    if (state_ == State::handed_over) times.delay = Duration(0);
    state_ = State::draining;
    program_.draining(times.delay + times.within);
    const auto listens = times.delay > Duration(0)
                             ? "the gateway listens for another " + to_text(times.delay) + ", and then finishes "
                             : std::string("the gateway finishes ");
    event(LogLevel::info, "draining", listens + "the requests in flight",
          {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
    workers.drain(times.delay, times.within);
  }

  boost::asio::signal_set set_;
  const bool reloads_;
  Program& program_;
  enum class State : std::uint8_t { serving, handed_over, draining, ended } state_ = State::serving;
};

}  // namespace

unsigned worker_count(unsigned wanted) noexcept {
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

int serve(boost::asio::io_context& main_loop, const ServeOptions& options, Program& program) {
  raise_descriptor_limit();
  ignore_stray_signals();
  // Set up before any thread starts, so that this loop receives all signals.
  SignalWatch signals(main_loop, options.reloads, program);
  Workers workers(options.workers, program);
  PassedSockets none;
  auto& passed = options.passed ? *options.passed : none;
  const auto run_workers = [&] {
    workers.start([&] {
      boost::asio::post(main_loop, [&] {
        signals.cancel();
        program.ended();
      });
    });
  };
  // The workers run and drain, so that work that has already begun, such as calls to Redis, ends in the usual way.
  const auto refused = [&](const std::string& why) {
    const int code = refuse(why);
    run_workers();
    workers.drain(Duration(0), Duration(0));
    main_loop.run();
    workers.join();
    return code;
  };
  auto addresses = workers.listeners().prepare(options.listen, passed);
  if (addresses.has_error()) return refused(addresses.error().why);
  auto tls = program.secure(workers);
  if (tls.has_error()) return refused(tls.error());
  addresses->use(std::move(*tls));
  if (const auto listening = workers.listeners().listen(*addresses); listening.has_error())
    return refused(listening.error().why);
  passed.close_rest();
  for (const auto& address : workers.listeners().use(std::move(*addresses), Duration(0)).added)
    event(LogLevel::info, "listening", "listening on " + address, {{"address", address}});

  run_workers();
  event(LogLevel::info, "started", "headgate " HEADGATE_VERSION " has started",
        {{"version", HEADGATE_VERSION}, {"workers", workers.count()}});
  signals.wait(workers);
  program.started(workers);
  main_loop.run();
  workers.join();
  event(LogLevel::info, "stopped", "all workers have ended");
  return 0;
}

}  // namespace headgate::server
