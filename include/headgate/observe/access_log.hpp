#pragma once
// The access log of one worker: one line for each exchange. Another thread writes the lines, so that requests never
// wait for a disk.

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

/// The access log of a worker, used only on the worker's thread. Lines leave in batches of up to 64 KiB, after at most
/// 100 ms. If they cannot leave fast enough, the newest are dropped and counted; the caller never waits.
class AccessLog {
 public:
  AccessLog() = default;  ///< Creates a log that is off.
  AccessLog(const LogOptions& options, std::shared_ptr<Output> output, Lane& lane, std::shared_ptr<LeftOut> left_out);
  AccessLog(AccessLog&&) = default;
  AccessLog& operator=(AccessLog&&) = default;

  bool on() const noexcept { return lane_ != nullptr; }
  /// Returns whether to leave out the line of an exchange with this status, because only a share of the successful ones
  /// is logged. Counts the lines left out.
  bool leaves_out(unsigned status) noexcept { return keeps_some_ && status < 400 && status != 0 && passes_over(); }
  /// Returns the values about callers that are logged in clear text: "owner", "jwt.<claim>".
  const std::vector<std::string>& callers() const noexcept { return options_.callers; }
  bool wants_referer() const noexcept { return options_.format == LogFormat::combined; }
  /// Writes a line. The line of a refusal is left out if the key was refused a moment ago and
  /// LogOptions::refusals_every is set.
  void write(const AccessRecord& record);

 private:
  friend class Logs;
  bool passes_over() noexcept;
  void append(const AccessRecord& record, Instant at, std::uint64_t dropped);

  LogOptions options_;
  std::shared_ptr<Output> output_;
  Lane* lane_ = nullptr;
  /// counts of lines left out, shared by all workers; null if no refusal is left out
  std::shared_ptr<LeftOut> left_out_;
  bool keeps_some_ = false;
  bool marked_ = false;  ///< true if each line carries its severity to the output
  Coloured coloured_{};
  std::uint64_t dice_ = 0;
  std::uint64_t passed_over_ = 0;  ///< lines left out since the last logged line of a successful exchange
  std::size_t most_ = 0;           ///< longest line without the configured fields, in bytes
  TextBuffer room_;                ///< buffer for one line
};

}  // namespace headgate::observe
