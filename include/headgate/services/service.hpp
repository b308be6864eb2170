#pragma once
// The work beside the request path that lasts as long as the process. Each service has its own subject; all have the
// same life cycle.

#include "headgate/services/active_config.hpp"

#include <memory>
#include <vector>

namespace headgate::services {

/// Main thread only. A service lives until no worker and no admin interface runs any more.
class Service {
 public:
  virtual ~Service() = default;
  /// Sets the configuration in force: before start(), after each reload, and when an operator has changed servers or
  /// the candidate.
  virtual void adopt(const std::shared_ptr<const ActiveConfig>& active) { static_cast<void>(active); }
  /// The workers run from now on.
  virtual void start() {}
  /// The process is going to end: its workers finish their requests, and accept no more clients after the drain's
  /// delay. The service ends everything that requests do not need. May be called twice.
  virtual void drain() {}
  /// No worker runs any more. When the loop has no work left, nothing of the service may be running. A second call does
  /// nothing.
  virtual void stop() = 0;
};

/// The services of a process, in the order in which they start. Main thread only. All of them are stopped before any is
/// destroyed.
class ServiceList {
 public:
  /// `next` may use the services before it, from its start to its end.
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
  /// In reverse order.
  void stop() {
    for (auto each = services_.rbegin(); each != services_.rend(); ++each) (*each)->stop();
  }

 private:
  std::vector<Service*> services_;
};

}  // namespace headgate::services
