#pragma once
// Opens the arrivals of a simulation, once for each run. They come from logs or from a pattern, with assumptions about
// callers.

#include "headgate/access_logs/log_arrivals.hpp"
#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/simulate/assumptions.hpp"
#include "headgate/simulate/made_arrivals.hpp"
#include "headgate/simulate/report.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::cli {

class Progress;

/// The arrivals of one run. One thread.
class OpenArrivals final : public engine::Arrivals {
 public:
  const engine::RequestArrival* next() override { return assumed_ ? assumed_->next() : inner().next(); }
  /// Returns the log; null if the arrivals come from a pattern.
  const access_logs::LogArrivals* log() const noexcept { return log_.get(); }

 private:
  friend class ArrivalSource;
  engine::Arrivals& inner() noexcept {
    if (log_) return *log_;
    return *made_;
  }
  std::unique_ptr<access_logs::LogArrivals> log_;
  std::unique_ptr<simulate::MadeArrivals> made_;
  std::optional<simulate::AssumedArrivals> assumed_;
};

/// The options of the command line for arrivals. Must outlive the arrivals that it opens.
class ArrivalSource {
 public:
  access_logs::ReadOptions read;  ///< for logs; `values` is set by open()
  std::optional<simulate::ArrivalPattern> pattern;
  std::string pattern_text;
  std::vector<simulate::Assumption> assumptions;
  std::uint64_t seed = 1;

  /// Opens the arrivals from the beginning. The error is a sentence that names the file.
  Result<std::unique_ptr<OpenArrivals>, std::string> open(const simulate::TriedPolicy& policy);
  /// Returns whether open() can be called more than once.
  bool again() const noexcept;
  /// Makes `progress` show how far the arrivals that were opened last are, until they are closed.
  void show(Progress& progress, std::uint64_t arrivals) const;

  /// Describes arrivals that were read to their end. The description includes the facts that `config` depends on and
  /// the arrivals lack.
  simulate::Arrived told(const OpenArrivals& read_to_end, const config::Config& config) const;

 private:
  const access_logs::LogArrivals* current_ = nullptr;
};

}  // namespace headgate::cli
