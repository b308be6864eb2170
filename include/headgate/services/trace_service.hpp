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

/// One per process, on the main thread.
class TraceService final : public Service {
 public:
  /// All arguments must outlive it. The registry shows its numbers once spans are sent.
  TraceService(boost::asio::io_context& loop, Clock& clock, observe::SpanQueue& queue, observe::Registry& registry);

  /// If the options are removed, waiting spans are still sent.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Number of spans that were dropped or rejected since startup. Any thread.
  std::uint64_t lost() const;
  /// Call it after the workers have ended. Sends the remaining spans, for a short time.
  void stop() override;

 private:
  std::optional<notify::TraceCounts> counts() const;  // Any thread.

  boost::asio::io_context& loop_;
  Clock& clock_;
  observe::SpanQueue& queue_;
  mutable std::mutex mutex_;
  std::unique_ptr<notify::SpanExporter> exporter_;  ///< Used on the main thread; the pointer needs the lock.
};

}  // namespace headgate::services
