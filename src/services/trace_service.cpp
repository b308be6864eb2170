#include "headgate/services/trace_service.hpp"

#include "headgate/observe/families/connections.hpp"
#include "headgate/observe/metrics_scrape.hpp"

namespace headgate::services {

namespace family = observe::family;

TraceService::TraceService(boost::asio::io_context& loop, Clock& clock, observe::SpanQueue& queue,
                           observe::Registry& registry)
    : loop_(loop), clock_(clock), queue_(queue) {
  registry.collect([this](observe::Scrape& scrape) {
    const auto now = counts();
    if (!now) return;
    scrape.value(family::trace_spans, {"exported"}, static_cast<double>(now->exported));
    scrape.value(family::trace_spans, {"rejected"}, static_cast<double>(now->rejected));
    scrape.value(family::trace_spans, {"dropped"}, static_cast<double>(now->dropped));
    scrape.value(family::trace_retries, {}, static_cast<double>(now->retried));
  });
}

std::optional<notify::TraceCounts> TraceService::counts() const {
  const std::lock_guard lock(mutex_);
  return exporter_ ? std::optional(exporter_->counts()) : std::nullopt;
}

std::uint64_t TraceService::lost() const {
  const auto now = counts();
  return now ? now->dropped + now->rejected : 0;
}

void TraceService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  const auto& options = active->config->traces;
  if (!options) return;
  if (exporter_) return exporter_->use(*options);
  const std::lock_guard lock(mutex_);
  exporter_ = std::make_unique<notify::SpanExporter>(loop_, clock_, queue_, *options);
}

void TraceService::stop() {
  if (exporter_) exporter_->stop();
}

}  // namespace headgate::services
