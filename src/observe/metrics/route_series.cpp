#include "headgate/observe/route_series.hpp"

#include "headgate/observe/families/requests.hpp"
#include "headgate/observe/metrics_scrape.hpp"

namespace headgate::observe {

bool CountedRoutes::claim(std::string_view route) {
  std::string name(route);
  const std::lock_guard lock(mutex_);
  if (names_.size() >= kMax) return names_.contains(name);
  names_.insert(std::move(name));
  return true;
}

std::size_t CountedRoutes::size() const {
  const std::lock_guard lock(mutex_);
  return names_.size();
}

RouteSeries::RouteSeries(std::string_view name)
    : route(name), seconds(family::request_seconds.bounds), overhead(family::overhead_seconds.bounds) {}

RouteSeries::~RouteSeries() {
  delete auth_results.load();
  delete grpc.load();
  delete exemplars.load();
}

void RouteSeries::read_elsewhere(Scrape& scrape) const {
  for (std::size_t i = 0; i < elsewhere.size(); ++i)
    if (const auto times = elsewhere[i].read(); times > 0)
      scrape.value(family::sent_elsewhere, {route, std::string(kElsewhereWords[i])}, static_cast<double>(times));
}

// Frees the series one by one, because the destructor of a long list would recurse as deep as the list is long.
WorkerRoutes::~WorkerRoutes() {
  std::unique_ptr<RouteSeries> at(newest_.load());
  while (at) at = std::move(at->before);
}

RouteSeries& WorkerRoutes::of(std::string_view route) {
  if (const auto known = by_name_.find(route); known != by_name_.end()) return *known->second;
  return find_or_make(counted_.claim(route) ? route : kOther);
}

RouteSeries& WorkerRoutes::find_or_make(std::string_view name) {
  if (const auto known = by_name_.find(name); known != by_name_.end()) return *known->second;
  auto made = std::make_unique<RouteSeries>(name);
  auto& out = *made;
  by_name_.emplace(out.route, &out);
  out.before.reset(newest_.load(std::memory_order_relaxed));
  newest_.store(made.release(), std::memory_order_release);
  return out;
}

}  // namespace headgate::observe
