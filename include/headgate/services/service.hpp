#pragma once
// The interface of services: work outside the request path that lasts as long as the process. All services have the
// same life cycle.

#include "headgate/services/active_config.hpp"

#include <memory>
#include <vector>

namespace headgate::services {

/// A service of the process. Main thread only. A service lives until no worker and no admin interface runs any more.
class Service {
 public:
  virtual ~Service() = default;
  /// Sets the configuration in force: before start(), after each reload, and when an operator has changed servers or
  /// the candidate.
  virtual void adopt(const std::shared_ptr<const ActiveConfig>& active) { static_cast<void>(active); }
  /// Starts the service when the workers begin to run.
  virtual void start() {}
  /// Prepares the end of the process: its workers finish their requests, and accept no more clients after the drain's
  /// delay. The service ends everything that requests do not need. May be called twice.
  virtual void drain() {}
  /// Ends the service when no worker runs any more. When the loop has no work left, nothing of the service may be
  /// running. A second call does nothing.
  virtual void stop() = 0;
};

/// The services of a process, in the order in which they start. Main thread only. All of them are stopped before any is
/// destroyed.
class ServiceList {
 public:
  /// Adds a service, which may use the services before it from its start to its end.
  void add(Service& next) { services_.push_back(&next); }
  void adopt(const std::shared_ptr<const ActiveConfig>& active) {
    for (auto* const each : services_) each->adopt(active);
  }
  void start() {
    for (auto* const each : services_) each->start();
  }
  void drain() {
    for (auto* const each : services_) each->drain();
  }
  /// Stops all services in reverse order.
  void stop() {
    for (auto each = services_.rbegin(); each != services_.rend(); ++each) (*each)->stop();
  }

 private:
  std::vector<Service*> services_;
};

}  // namespace headgate::services
