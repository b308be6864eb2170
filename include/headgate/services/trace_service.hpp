#pragma once
// Sends the spans of all workers to the configured collector.

#include "headgate/core/clock.hpp"
#include "headgate/notify/span_exporter.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/services/service.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace headgate::services {

/// The sender of spans. One per process; main thread only.
class TraceService final : public Service {
 public:
  /// All arguments must outlive this object. The registry shows the service's numbers once spans are sent.
  TraceService(boost::asio::io_context& loop, Clock& clock, observe::SpanQueue& queue, observe::Registry& registry);

  /// Applies the options of the configuration. If the options were removed, waiting spans are still sent.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Returns the number of spans that were dropped or rejected since startup. Any thread.
  std::uint64_t lost() const;
  /// Sends the remaining spans, for a short time. Call it after the workers have ended.
  void stop() override;

 private:
  // Returns the numbers of spans; empty if there never was a collector. Any thread.
  std::optional<notify::TraceCounts> counts() const;

  boost::asio::io_context& loop_;
  Clock& clock_;
  observe::SpanQueue& queue_;
  mutable std::mutex mutex_;
  std::unique_ptr<notify::SpanExporter> exporter_;  ///< Used on the main thread; the pointer needs the lock.
};

}  // namespace headgate::services
