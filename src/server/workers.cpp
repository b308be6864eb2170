#include "workers.hpp"

#include "headgate/observe/event.hpp"

namespace headgate::server {

Workers::Workers(const Options& options, Program& program) {
  const unsigned count = worker_count(options.workers);
  const auto make = [&program](upstream::Environment environment) { return program.make_service(environment); };
  for (unsigned i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(options, make, connections_));
}

Result<void, std::string> Workers::listen(std::vector<net::ListenOptions> addresses) {
  for (auto& address : addresses) {
    for (auto& worker : workers_) {
      auto listener = worker->listen(address);
      if (listener.has_error()) return listener.error();
      address.port = (*listener)->port();
      if (worker != workers_.front()) continue;
      const std::string where = (*listener)->address();
      observe::event(observe::LogLevel::info, "listening", "listening on " + where, {{"address", where}});
    }
  }
  return {};
}

void Workers::start(const std::function<void()>& ended) {
  running_ = workers_.size();
  for (auto& worker : workers_) {
    worker->start([this, ended] {
      if (--running_ == 0) ended();
    });
  }
}

void Workers::tell(const std::function<void(Service&)>& what, const std::function<void()>& done) {
  const auto left = std::make_shared<std::atomic<std::size_t>>(workers_.size());
  for (auto& worker : workers_) {
    worker->tell([what, done, left](Service& service) {
      what(service);
      if (--*left == 0 && done) done();
    });
  }
}

Result<void, std::string> Workers::use_tls(std::size_t listener, const net::ServerTlsOptions& options,
                                           const net::ServerTlsTexts& texts) {
  std::vector<net::ServerTlsPtr> all;
  for (auto& worker : workers_) {
    auto made = worker->make_tls(options, texts);
    if (made.has_error()) return made.error();
    all.push_back(std::move(*made));
  }
  for (std::size_t i = 0; i < all.size(); ++i) workers_[i]->use_tls(listener, std::move(all[i]));
  return {};
}

void Workers::drain(Duration delay, Duration within) {
  for (auto& worker : workers_) worker->drain(delay, within);
}

void Workers::join() {
  for (auto& worker : workers_) worker->join();
}

}  // namespace headgate::server
