#pragma once
// The decisions of the current candidate since it was set.

#include "headgate/admin/candidate_calls.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/observe/limit_top.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/services/service.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headgate::server {

/// Main thread only. Logs events while the two policies differ: at the first difference, and then once a minute.
class CandidateWatch final : public services::Service {
 public:
  static constexpr Duration kEvery = std::chrono::seconds(5);
  static constexpr Duration kTold = std::chrono::seconds(60);

  /// Both arguments must outlive this object.
  CandidateWatch(Clock& clock, observe::Registry& registry);

  /// Compares the candidate of `active` from now on. `promoted` says that the previous candidate has become active.
  void use(const services::ActiveConfig& active, bool by_file, bool promoted);
  void start() override { alarm_->set(kEvery); }
  void stop() override { alarm_.reset(); }

  /// Adds the keys on which the policies differed, as counted by one worker.
  void add(const std::vector<observe::LimitSketches>& taken);
  /// Returns the comparison. There must be a candidate in `active`.
  admin::CandidateDiff diff(const services::ActiveConfig& active) const;

 private:
  using Counts = std::map<observe::LabelValues, std::uint64_t>;
  struct Counted {
    Counts requests, limits, undecided;
  };
  struct Keys {
    observe::HeavyList hit;
    observe::HeavyList freed;
  };

  static void on_alarm(void* self);
  void look();
  Counted counted() const;

  Clock& clock_;
  observe::Registry& registry_;
  std::unique_ptr<Alarm> alarm_;
  std::shared_ptr<const config::Config> set_;  ///< null if there is no candidate
  bool by_file_ = false;
  Instant since_{};
  Counted before_;
  std::map<std::string, Keys> keys_;
  std::uint64_t told_ = 0;  ///< number of differences at the last event
  Clock::Steady told_at_{};
};

}  // namespace headgate::server
