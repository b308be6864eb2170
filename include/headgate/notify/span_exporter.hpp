#pragma once
// Sends spans to an OpenTelemetry collector: OTLP over HTTP, encoded in JSON. Used by server.

#include "headgate/core/clock.hpp"
#include "headgate/net/http_call.hpp"
#include "headgate/observe/line_gate.hpp"
#include "headgate/observe/span_log.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

namespace headgate::notify {

/// Options of the exporter, filled in by config.
struct TraceOptions {
  net::Url url;  ///< URL of the traces signal: ".../v1/traces".
  /// Additional header lines, each ended by CR LF.
  std::string fields;
  std::string ca;  ///< PEM file of the authorities for https; empty for those of the system.
  Duration timeout = std::chrono::seconds(10);  ///< Time limit of one attempt, from name resolution to the answer.
  std::string service = "headgate";             ///< The resource attribute `service.name`.
  std::string instance;                         ///< The resource attribute `service.instance.id`.
  bool operator==(const TraceOptions&) const = default;
};

/// Numbers of spans since startup.
struct TraceCounts {
  std::uint64_t exported = 0;  ///< Accepted by the collector.
  std::uint64_t rejected = 0;  ///< Rejected by the collector.
  std::uint64_t dropped = 0;   ///< Lost because the queue was full, the collector did not answer, or headgate ended.
  std::uint64_t retried = 0;   ///< Attempts after the first one of a batch; counts batches, not spans.
};

/// Takes the spans of a queue once per second and sends them in batches, one after the other. A batch that is not
/// accepted is sent again after a pause, up to six times in total; meanwhile spans wait in the queue. Used only on the
/// loop's thread, except counts().
class SpanExporter {
 public:
  static constexpr std::size_t kMaxBatch = 1UL << 20;             ///< Bytes of spans in one request.
  static constexpr unsigned kAttempts = 6;                        ///< Attempts per batch, over about half a minute.
  static constexpr Duration kPeriod = std::chrono::seconds(1);    ///< Time between two batches, unless a batch is full.
  static constexpr Duration kLastTime = std::chrono::seconds(2);  ///< Time after stop() for the last attempts.
  /// Longest pause, even if the collector asks for a longer one.
  static constexpr Duration kLongestPause = std::chrono::minutes(1);

  /// All arguments must outlive this object. Opens no connection until there are spans.
  SpanExporter(boost::asio::io_context& loop, Clock& clock, observe::SpanQueue& queue, TraceOptions options);
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  /// Sets the options for batches that begin from now on; for a reload.
  void use(TraceOptions options);
  /// Makes one last attempt for everything in the queue, within kLastTime, and drops the rest. Afterwards the loop has
  /// no work left for this object. Call it when nothing is added to the queue any more.
  void stop();

  TraceCounts counts() const noexcept;  ///< Any thread.

 private:
  void proceed();
  bool take_batch();
  void attempt();
  void answered(const net::HttpResult& result);
  void retry(const net::HttpResult& result);
  void count_taken(const net::HttpReply& reply);
  void tell_full();
  void drop_batch(std::string_view why, std::string_view reason);
  void drop_all();
  void end_batch() noexcept;

  boost::asio::io_context& loop_;
  Clock& clock_;
  observe::SpanQueue& queue_;
  TraceOptions options_;
  std::shared_ptr<net::Trust> trust_;
  std::string batch_;  ///< Spans that are being sent or wait for another attempt.
  std::size_t spans_ = 0;
  unsigned attempts_ = 0;
  std::shared_ptr<net::HttpCall> call_;
  std::unique_ptr<Alarm> due_;
  std::unique_ptr<Alarm> end_;
  bool stopping_ = false;
  std::minstd_rand random_{std::random_device{}()};
  observe::LineGate retries_told_;
  observe::LineGate failures_told_;
  observe::LineGate full_told_;
  std::uint64_t full_ = 0;  ///< Spans that found no room in the queue, as of the last report.

  std::atomic<std::uint64_t> exported_{0};
  std::atomic<std::uint64_t> rejected_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> retried_{0};
};

}  // namespace headgate::notify
