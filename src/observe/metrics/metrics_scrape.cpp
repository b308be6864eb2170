#include "headgate/observe/metrics_scrape.hpp"

#include <prometheus/text_serializer.h>

#include <cassert>
#include <chrono>
#include <utility>

namespace headgate::observe {
namespace {

using Seconds = std::chrono::duration<double>;

prometheus::MetricType type_of(const Family& family) noexcept {
  switch (family.type) {
    case Family::Type::counter:
      return prometheus::MetricType::Counter;
    case Family::Type::gauge:
      return prometheus::MetricType::Gauge;
    case Family::Type::histogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

std::vector<prometheus::ClientMetric::Label> labels_of(const Family& family, const LabelValues& values) {
  std::vector<prometheus::ClientMetric::Label> out;
  out.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back({std::string(family.labels[i]), values[i]});
  return out;
}

/// Converts the counts of single buckets into Prometheus's cumulative buckets.
prometheus::ClientMetric::Histogram histogram_of(const Family& family, const std::vector<std::uint64_t>& counts,
                                                 Duration sum) {
  prometheus::ClientMetric::Histogram out;
  out.bucket.reserve(family.bounds.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out.sample_count += counts[i];
    if (i < family.bounds.size()) out.bucket.push_back({out.sample_count, Seconds(family.bounds[i]).count()});
  }
  out.sample_sum = Seconds(sum).count();
  return out;
}

}  // namespace

void Scrape::value(const Family& family, const LabelValues& labels, double value) {
  assert(labels.size() == family.label_count());
  auto& sample = samples_[&family][labels];
  sample.value = family.type == Family::Type::counter ? sample.value + value : value;
}

void Scrape::level(const Family& family, const LabelValues& labels, double value) {
  assert(labels.size() == family.label_count());
  samples_[&family][labels].value += value;
}

void Scrape::histogram(const Family& family, const LabelValues& labels, std::span<const std::uint64_t> counts,
                       Duration sum) {
  assert(labels.size() == family.label_count() && counts.size() == family.bounds.size() + 1);
  auto& sample = samples_[&family][labels];
  sample.counts.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) sample.counts[i] += counts[i];
  sample.sum += sum;
}

void Scrape::exemplar(const Family& family, const LabelValues& labels, std::size_t bucket, Exemplar exemplar) {
  auto& kept = samples_[&family][labels].exemplars;
  const auto [at, fresh] = kept.try_emplace(bucket, exemplar);
  if (!fresh && at->second.when < exemplar.when) at->second = std::move(exemplar);
}

std::size_t Scrape::series() const noexcept {
  std::size_t out = 0;
  for (const auto& [family, samples] : samples_)
    out += samples.size() * (family->type == Family::Type::histogram ? family->bounds.size() + 3 : 1);
  return out;
}

std::string Scrape::text() const {
  std::vector<prometheus::MetricFamily> out;
  out.reserve(samples_.size());
  for (const auto* family : families()) {
    const auto found = samples_.find(family);
    if (found == samples_.end()) continue;
    auto& shown = out.emplace_back();
    shown.name = family->name;
    shown.help = family->help;
    shown.type = type_of(*family);
    shown.metric.reserve(found->second.size());
    for (const auto& [labels, sample] : found->second) {
      auto& metric = shown.metric.emplace_back();
      metric.label = labels_of(*family, labels);
      metric.counter.value = sample.value;
      metric.gauge.value = sample.value;
      if (family->type == Family::Type::histogram) metric.histogram = histogram_of(*family, sample.counts, sample.sum);
    }
  }
  return prometheus::TextSerializer().Serialize(out);
}

}  // namespace headgate::observe
