#pragma once
// Spans of exchanges, on their way from the workers to the exporter.

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

/// The decision of a limit.
struct DecisionSpan {
  std::uint64_t id = 0;
  Instant begun, ended;
  std::string_view limit, tier, decision, source;
  std::uint64_t remaining = 0;
};

/// An attempt at a server.
struct AttemptSpan {
  std::uint64_t id = 0;
  Instant begun, ended;
  std::string_view server;     ///< host and port; empty if no server was connected
  unsigned status = 0;         ///< status of the answer; 0 if there was none
  std::string_view failure{};  ///< reason for a missing or incomplete answer; one word, empty if the answer is complete
};

/// The spans of one exchange. The views are valid during the call.
struct ExchangeSpans {
  const AccessRecord* record = nullptr;
  TraceContext context;  ///< `parent` is set only if the caller began the trace
  bool begun_here = false;
  std::string_view state;  ///< the caller's `tracestate`; may be empty
  std::uint64_t id = 0;    ///< id of the exchange's own span
  Instant begun, ended;
  std::string_view pattern;  ///< path pattern of the route; empty if no route was found
  std::string_view scheme;   ///< "http" or "https"
  bool client_address = true;
  std::span<const DecisionSpan> decisions;
  std::span<const AttemptSpan> attempts;
};

/// A queue for the spans of all workers, as OTLP JSON texts separated by commas. Each worker may queue a megabyte;
/// beyond that the newest spans are dropped and counted.
class SpanQueue {
 public:
  SpanQueue();
  ~SpanQueue();
  SpanQueue(const SpanQueue&) = delete;
  SpanQueue& operator=(const SpanQueue&) = delete;

  /// Appends the spans of whole exchanges to `out`, which grows by at most `most` bytes, and returns the number of
  /// spans. One thread.
  std::size_t take(std::size_t most, std::string& out);
  /// Returns the number of waiting bytes of the worker that has the most. Each worker may queue kMaxQueued bytes. Any
  /// thread.
  std::size_t fullest() const;
  static constexpr std::size_t kMaxQueued = 1UL << 20;
  /// Returns the number of dropped spans since startup. Any thread.
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  friend class SpanLog;
  Lane& lane();

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t turn_ = 0;
  std::atomic<std::uint64_t> dropped_{0};
};

/// The span log of one worker; its thread only. Takes its part of the queue's memory at the first write.
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
