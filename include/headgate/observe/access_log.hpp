#pragma once
// One line for each exchange, written by another thread: the path never waits for a disk.

#include "headgate/core/text_buffer.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/access_fields.hpp"
#include "headgate/observe/options.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace headgate::observe {

class Lane;
class LeftOut;
class Output;
enum class Coloured : bool;

/// Belongs to one worker; its thread only. Lines leave in batches of up to 64 KiB, after at most a tenth of a second.
/// If they cannot leave fast enough, the newest are dropped and counted; the caller never waits.
class AccessLog {
 public:
  AccessLog() = default;  ///< off
  AccessLog(const LogOptions& options, std::shared_ptr<Output> output, Lane& lane, std::shared_ptr<LeftOut> left_out);
  AccessLog(AccessLog&&) = default;
  AccessLog& operator=(AccessLog&&) = default;

  bool on() const noexcept { return lane_ != nullptr; }
  /// Whether the line of an exchange with this status is not to be written, because only a share of those that succeed
  /// is logged. Counts it then.
  bool leaves_out(unsigned status) noexcept { return keeps_some_ && status < 400 && status != 0 && passes_over(); }
  /// What is logged about callers in clear text: "owner", "jwt.<claim>".
  const std::vector<std::string>& callers() const noexcept { return options_.callers; }
  bool wants_referer() const noexcept { return options_.format == LogFormat::combined; }
  /// Also leaves out a refusal if its key was refused a moment ago, where the options say so.
  void write(const AccessRecord& record);

 private:
  friend class Logs;
  bool passes_over() noexcept;
  void append(const AccessRecord& record, Instant at, std::uint64_t dropped);

  LogOptions options_;
  std::shared_ptr<Output> output_;
  Lane* lane_ = nullptr;
  std::shared_ptr<LeftOut> left_out_;  ///< shared by all workers; null: nothing is left out
  bool keeps_some_ = false;
  bool marked_ = false;  ///< the output wants to know how severe each line is
  Coloured coloured_{};
  std::uint64_t dice_ = 0;
  std::uint64_t passed_over_ = 0;  ///< since the last line of an exchange that succeeded
  std::size_t most_ = 0;           ///< bytes of a line without the fields that the configuration names
  TextBuffer room_;                ///< for a line
};

}  // namespace headgate::observe
