// A process that serves ends, whatever signals come meanwhile.

#include "../../../src/server/workers.hpp"

#include "headgate/server/server.hpp"

#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <thread>

namespace headgate::server {
namespace {

using namespace std::chrono_literals;

class NothingServed final : public WorkerService, public gateway::Handler {
 public:
  /// Something is unsent until the count reaches 0.
  explicit NothingServed(std::atomic<int>* unsent = nullptr) : unsent_(unsent) {}
  bool has_unsent() const override { return unsent_ != nullptr && --*unsent_ > 0; }
  gateway::Handler& handler() override { return *this; }
  void stop() override {}
  Task<void> handle(gateway::Exchange& exchange) override { co_return static_cast<void>(exchange); }
  void refused(gateway::Exchange& exchange) override { static_cast<void>(exchange); }

 private:
  std::atomic<int>* unsent_;
};

/// Is told to stop as soon as it has started. Then comes a signal that the loop takes in the turn in which it hears
/// that all workers have ended.
class Stopped final : public Program {
 public:
  Stopped(boost::asio::io_context& loop, int late) : loop_(loop), late_(late) {}
  std::unique_ptr<WorkerService> make_service(upstream::Environment environment) override {
    return static_cast<void>(environment), std::make_unique<NothingServed>();
  }
  void started(Workers& workers) override {
    workers_ = &workers;
    std::raise(SIGTERM);
  }
  void draining(Duration /*at_most*/) override {
    std::raise(late_);
    boost::asio::post(loop_, [this] { workers_->join(); });
  }

 private:
  boost::asio::io_context& loop_;
  const int late_;
  Workers* workers_ = nullptr;
};

class ASignalThatComesAsTheLastWorkerEnds : public testing::TestWithParam<int> {};

TEST_P(ASignalThatComesAsTheLastWorkerEnds, DoesNotKeepTheProcess) {
  boost::asio::io_context loop{1};
  Stopped program(loop, GetParam());
  ServeOptions options;
  options.workers = 1;
  options.reloads = true;
  std::promise<void> ended;
  bool kept = false;
  std::thread watch([&, end = ended.get_future()] {
    kept = end.wait_for(10s) == std::future_status::timeout;
    if (kept) loop.stop();
  });
  EXPECT_EQ(serve(loop, options, program), 0);
  ended.set_value();
  watch.join();
  EXPECT_FALSE(kept);
}

INSTANTIATE_TEST_SUITE_P(Signals, ASignalThatComesAsTheLastWorkerEnds, testing::Values(SIGHUP, SIGUSR1, SIGUSR2));

/// Is told to stop as soon as it has started, while its worker has something to send.
class Unsent final : public Program {
 public:
  explicit Unsent(int looks) : unsent(looks) {}
  std::unique_ptr<WorkerService> make_service(upstream::Environment environment) override {
    return static_cast<void>(environment), std::make_unique<NothingServed>(&unsent);
  }
  void started(Workers&) override { std::raise(SIGTERM); }
  DrainTimes drain_times() const override { return {.delay = Duration(0), .within = 300ms}; }
  std::atomic<int> unsent;
};

TEST(ADrain, WaitsForWhatIsUnsentWithinItsTime) {
  for (const int looks : {3, 1'000'000}) {
    boost::asio::io_context loop{1};
    Unsent program(looks);
    ServeOptions options;
    options.workers = 1;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(serve(loop, options, program), 0);
    const auto took = std::chrono::steady_clock::now() - begin;
    if (looks == 3)
      EXPECT_EQ(program.unsent, 0);
    else
      EXPECT_GE(took, 300ms) << "it waited for its whole time";
  }
}

}  // namespace
}  // namespace headgate::server
