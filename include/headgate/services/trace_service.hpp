#pragma once
// Sends the spans of all workers to the collector that the configuration names.

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

/// One for each process, on the main thread.
class TraceService final : public Service {
 public:
  /// All of them outlive it. The registry shows its numbers once spans are sent.
  TraceService(boost::asio::io_context& loop, Clock& clock, observe::SpanQueue& queue, observe::Registry& registry);

  /// Without options, what waits is still sent.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// How many spans were dropped or rejected since the start. Any thread.
  std::uint64_t lost() const;
  /// After the workers have ended: sends what is left, for a moment.
  void stop() override;

 private:
  std::optional<notify::TraceCounts> counts() const;  // any thread

  boost::asio::io_context& loop_;
  Clock& clock_;
  observe::SpanQueue& queue_;
  mutable std::mutex mutex_;
  std::unique_ptr<notify::SpanExporter> exporter_;  ///< used on the main thread; the pointer needs the lock
};

}  // namespace headgate::services
