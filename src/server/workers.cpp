#include "workers.hpp"

#include <utility>

namespace headgate::server {

Workers::Workers(unsigned wanted, Program& program) {
  const unsigned count = worker_count(wanted);
  const auto make = [&program](upstream::Environment environment) { return program.make_service(environment); };
  std::vector<Worker*> listening;
  for (unsigned i = 0; i < count; ++i)
    listening.push_back(workers_.emplace_back(std::make_unique<Worker>(make, program.totals())).get());
  listeners_.emplace(std::move(listening));
}

void Workers::start(const std::function<void()>& ended) {
  running_ = workers_.size();
  for (auto& worker : workers_) {
    worker->start([this, ended] {
      if (--running_ == 0) ended();
    });
  }
}

void Workers::tell(const std::function<void(WorkerService&)>& what, const std::function<void()>& done) {
  const auto left = std::make_shared<std::atomic<std::size_t>>(workers_.size());
  const auto one_less = [done, left] {
    if (--*left == 0 && done) done();
  };
  for (auto& worker : workers_) worker->tell(what, one_less);
}

Result<ListenerTls, std::string> Workers::make_tls(const net::ServerTlsOptions& options,
                                                   const net::ServerTlsTexts& texts) {
  ListenerTls all;
  for (auto& worker : workers_) {
    auto made = worker->make_tls(options, texts);
    if (made.has_error()) return made.error();
    all.push_back(std::move(*made));
  }
  return all;
}

void Workers::drain(Duration delay, Duration within) {
  for (auto& worker : workers_) worker->drain(delay, within);
}

void Workers::hand_over(Duration within) {
  for (auto& worker : workers_) worker->hand_over(within);
}

void Workers::join() {
  for (auto& worker : workers_) worker->join();
}

}  // namespace headgate::server
