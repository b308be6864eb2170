#pragma once
// Where the arrivals of a simulation come from: logs or a pattern, with what is assumed of callers. Opened once for
// each run.

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
  /// Null: they come from a pattern.
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

/// What the command line says of arrivals. Outlives what it opens.
class ArrivalSource {
 public:
  access_logs::ReadOptions read;  ///< of logs; `values` is set by open()
  std::optional<simulate::ArrivalPattern> pattern;
  std::string pattern_text;
  std::vector<simulate::Assumption> assumptions;
  std::uint64_t seed = 1;

  /// From the beginning. The error is a sentence that names the file.
  Result<std::unique_ptr<OpenArrivals>, std::string> open(const simulate::TriedPolicy& policy);
  /// Returns whether it can be opened more than once.
  bool again() const noexcept;
  /// Those that were opened last, until they are closed: how far they have come.
  void show(Progress& progress, std::uint64_t arrivals) const;

  /// Of arrivals that were read to their end. It says what they do not tell, as far as `config` asks it.
  simulate::Arrived told(const OpenArrivals& read_to_end, const config::Config& config) const;

 private:
  const access_logs::LogArrivals* current_ = nullptr;
};

}  // namespace headgate::cli
