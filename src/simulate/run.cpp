#include "headgate/simulate/run.hpp"

#include "headgate/offline/offline_config.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace headgate::simulate {
namespace {

/// Records the times of the first and the last arrival. The first arrival is read at once, because the start of the
/// clock depends on its time.
class Watched final : public engine::Arrivals {
 public:
  Watched(engine::Arrivals& from, const std::function<void(std::uint64_t)>& progress)
      : from_(from), progress_(progress), first_(from.next()) {
    if (first_ != nullptr) begin_ = end_ = first_->at;
  }
  const engine::RequestArrival* next() override {
    const auto* const arrival = std::exchange(begun_, true) ? from_.next() : first_;
    if (arrival == nullptr) return nullptr;
    end_ = std::max(end_, arrival->at);
    if (++count_ % kStep == 0 && progress_) progress_(count_);
    return arrival;
  }
  Instant begin() const noexcept { return begin_; }
  Instant end() const noexcept { return end_; }
  std::uint64_t count() const noexcept { return count_; }

 private:
  static constexpr std::uint64_t kStep = 4096;

  engine::Arrivals& from_;
  const std::function<void(std::uint64_t)>& progress_;
  const engine::RequestArrival* first_;
  bool begun_ = false;
  std::uint64_t count_ = 0;
  Instant begin_{};
  Instant end_{};
};

}  // namespace

TriedPolicy policy_of(const config::Config& config) {
  const auto made = offline::OfflineConfig::make(config);
  if (made.has_error()) throw std::runtime_error(made.error());
  return {made->parts(), config.memory.max_keys};
}

Trial run(const TriedPolicy& policy, engine::Arrivals& arrivals, const TrialOptions& options) {
  Trial out;
  out.tally = std::make_unique<RunTally>(policy.parts.compiled, options.keep);
  auto& tally = *out.tally;
  Watched watched(arrivals, options.progress);
  engine::Simulation simulation(policy.parts,
                                {.start = watched.begin(), .seed = options.seed, .max_keys = policy.max_keys});
  if (options.each)
    simulation.run(watched, [&](const engine::ArrivalResult& decided) {
      options.each(decided);
      tally.add(decided);
    });
  else
    simulation.run(watched, [&tally](const engine::ArrivalResult& decided) { tally.add(decided); });
  out.figures = tally.figures();
  out.figures.requests = watched.count();
  out.figures.from = watched.begin();
  out.figures.until = watched.end();
  out.figures.evicted = simulation.memory().evicted_keys();
  return out;
}

}  // namespace headgate::simulate
