#pragma once
// Spans of exchanges on their way from the workers to whoever sends them away.

#include "headgate/core/time.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/observe/trace_context.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::observe {

/// The decision of one limit.
struct DecisionSpan {
  std::uint64_t id = 0;
  Instant begun, ended;
  std::string_view limit, tier, decision, source;
  std::uint64_t remaining = 0;
};

/// One attempt at a server.
struct AttemptSpan {
  std::uint64_t id = 0;
  Instant begun, ended;
  std::string_view server;     ///< host and port; empty: none was connected
  unsigned status = 0;         ///< of its answer; 0: there was none
  std::string_view failure{};  ///< why there was none, or no whole one; one word
};

/// The spans of one exchange. The views are valid during the call.
struct ExchangeSpans {
  const AccessRecord* record = nullptr;
  TraceContext context;  ///< `parent` only if the caller began the trace
  bool begun_here = false;
  std::string_view state;  ///< the caller's `tracestate`; may be empty
  std::uint64_t id = 0;    ///< of the span of the exchange itself
  Instant begun, ended;
  std::string_view pattern;  ///< of the path of its route; empty: no route was found
  std::string_view scheme;   ///< "http" or "https"
  bool client_address = true;
  std::span<const DecisionSpan> decisions;
  std::span<const AttemptSpan> attempts;
};

/// Spans of all workers, as the JSON texts of OTLP with commas between. Bounded: a megabyte for each worker; beyond it
/// the newest are dropped and counted.
class SpanQueue {
 public:
  SpanQueue();
  ~SpanQueue();
  SpanQueue(const SpanQueue&) = delete;
  SpanQueue& operator=(const SpanQueue&) = delete;

  /// Appends spans of whole exchanges, so many that `out` grows by at most `most` bytes, and returns how many. One
  /// thread.
  std::size_t take(std::size_t most, std::string& out);
  /// How many bytes wait, of the worker with the most of them. Each has room for kMaxQueued. Any thread.
  std::size_t fullest() const;
  static constexpr std::size_t kMaxQueued = 1UL << 20;
  /// Any thread.
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  friend class SpanLog;
  Lane& lane();

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t turn_ = 0;
  std::atomic<std::uint64_t> dropped_{0};
};

/// Belongs to one worker; its thread only. Takes its part of the queue's memory at the first write.
class SpanLog {
 public:
  explicit SpanLog(SpanQueue& queue) noexcept : queue_(queue) {}
  void write(const ExchangeSpans& spans);

 private:
  SpanQueue& queue_;
  Lane* lane_ = nullptr;
  std::string line_;
};

}  // namespace headgate::observe
