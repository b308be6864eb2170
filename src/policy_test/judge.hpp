#pragma once
// Compares the results of one step's requests with what the step expects.

#include "headgate/engine/simulation.hpp"
#include "headgate/policy_test/run_test.hpp"

#include <functional>
#include <memory>

namespace headgate::policy_test {

/// The result of the last request.
struct LastAnswer {
  unsigned status = 0;
  gateway::EndedBy ended_by = gateway::EndedBy::upstream;
  std::string limit;
  std::string tier;
  Duration retry_after{0};
  std::optional<std::uint64_t> remaining;
  std::string route;
  std::string upstream;
  Duration took{0};
  config::TestFields fields;
  std::string code;                ///< the code of a call, or the gRPC status with which it failed; empty for a request
  std::vector<std::string> codes;  ///< codes of the descriptors
};

/// A step whose requests are being sent. It must not be moved in memory, because results are reported to its address.
class SentStep {
 public:
  /// `first` is the number of the step's first request among all requests of the test.
  SentStep(const config::SendStep& step, std::uint64_t first);
  SentStep(const SentStep&) = delete;
  SentStep& operator=(const SentStep&) = delete;

  const std::function<void(const engine::ArrivalResult&)>& tell() const noexcept { return tell_; }
  void why(StepExplanation asked) { why_ = std::make_unique<StepExplanation>(std::move(asked)); }

  /// Returns the differences. The list is complete when all requests of the step have ended.
  const std::vector<Difference>& differences() const noexcept { return differences_; }
  std::optional<StepExplanation> take_why() { return why_ ? std::optional(std::move(*why_)) : std::nullopt; }

 private:
  void end(const engine::ArrivalResult& decided);
  void keep(const engine::ArrivalResult& decided);
  void compare_counts();
  void compare_last();
  void compare_fields();
  void compare_codes();
  void differ(const config::TestPlace& place, std::string message);
  std::string first_in_words() const;

  const config::SendStep& step_;
  std::function<void(const engine::ArrivalResult&)> tell_;
  std::uint64_t first_;
  std::uint64_t ended_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t refused_ = 0;
  /// number within the step, from 1, of the first request that was not allowed; 0 if there is none
  std::uint64_t first_stopped_ = 0;
  std::string stopped_by_;
  LastAnswer answer_;
  std::unique_ptr<StepExplanation> why_;
  std::vector<Difference> differences_;
};

}  // namespace headgate::policy_test
