#pragma once
// What runs beside the path for as long as the process: each service has a subject of its own, and all have one life.

#include "headgate/services/active_config.hpp"

#include <memory>
#include <vector>

namespace headgate::services {

/// Main thread only. It lives until no worker and no admin interface runs any more.
class Service {
 public:
  virtual ~Service() = default;
  /// This is in force from now on: before start(), after each reload, and when an operator has given servers or the
  /// candidate something else.
  virtual void adopt(const std::shared_ptr<const ActiveConfig>& active) { static_cast<void>(active); }
  /// The workers run from now on.
  virtual void start() {}
  /// The process will end: its workers finish what they have, and take no more clients when the delay of the drain is
  /// over. What is not for their requests ends. May come twice.
  virtual void drain() {}
  /// No worker runs any more. When the loop has run out of work, nothing of it runs any more. A second call does
  /// nothing.
  virtual void stop() = 0;
};

/// The services of a process, in the order in which they start. Main thread only. It is stopped before any of them
/// ends.
class ServiceList {
 public:
  /// `next` may use those before it, from its start to its end.
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
  /// The last one first.
  void stop() {
    for (auto each = services_.rbegin(); each != services_.rend(); ++each) (*each)->stop();
  }

 private:
  std::vector<Service*> services_;
};

}  // namespace headgate::services
