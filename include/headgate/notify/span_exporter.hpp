#pragma once
// Sends spans to a collector of OpenTelemetry: OTLP over HTTP, encoded in JSON. Used by server.

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

/// config fills them.
struct TraceOptions {
  net::Url url;                                 ///< of the signal itself: ".../v1/traces"
  std::string fields;                           ///< further lines of the head, each with its "\r\n"
  std::string ca;                               ///< PEM file of the authorities for https; empty: those of the system
  Duration timeout = std::chrono::seconds(10);  ///< of one attempt, from the look-up of the name to the answer
  std::string service = "headgate";             ///< `service.name`
  std::string instance;                         ///< `service.instance.id`
  bool operator==(const TraceOptions&) const = default;
};

/// Spans since the start.
struct TraceCounts {
  std::uint64_t exported = 0;  ///< the collector took them
  std::uint64_t rejected = 0;  ///< the collector refused them
  std::uint64_t dropped = 0;   ///< lost to a full queue, to a collector that did not answer, or to the end of headgate
  std::uint64_t retried = 0;   ///< attempts but the first of each batch: of batches, not of spans
};

/// Takes the spans of a queue once a second, and sends them in batches, one after another. A batch that is not taken is
/// sent again after a pause, six times in all; meanwhile spans wait in the queue. The loop's thread, but for counts().
class SpanExporter {
 public:
  static constexpr std::size_t kMaxBatch = 1UL << 20;             ///< bytes of spans in one request
  static constexpr unsigned kAttempts = 6;                        ///< of one batch: over about half a minute
  static constexpr Duration kPeriod = std::chrono::seconds(1);    ///< between two batches, unless one is full
  static constexpr Duration kLastTime = std::chrono::seconds(2);  ///< after stop()
  static constexpr Duration kLongestPause =
      std::chrono::minutes(1);  ///< also where the collector asks for a longer one

  /// All of them outlive it. Opens no connection before there are spans.
  SpanExporter(boost::asio::io_context& loop, Clock& clock, observe::SpanQueue& queue, TraceOptions options);
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  /// Batches that begin from now on are sent with these options. For a reload.
  void use(TraceOptions options);
  /// Nothing is added to the queue any more. Everything in it gets one last attempt now, as far as kLastTime goes; what
  /// is left then is dropped. After that the loop has nothing left to do for it.
  void stop();

  TraceCounts counts() const noexcept;  ///< any thread

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
  std::string batch_;  ///< the spans that are under way or wait for another attempt
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
  std::uint64_t full_ = 0;  ///< spans that found no room in the queue, when that was told last

  std::atomic<std::uint64_t> exported_{0};
  std::atomic<std::uint64_t> rejected_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> retried_{0};
};

}  // namespace headgate::notify
