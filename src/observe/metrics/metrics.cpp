#include "headgate/observe/metrics.hpp"

#include "headgate/observe/families/requests.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace headgate::observe {
namespace {

/// Memory for the counters of one writer, on cache lines that no other writer uses. It is not freed before the
/// registry.
class Cells {
 public:
  template <class Cell, class... Arguments>
  Cell& make(const Arguments&... arguments) {
    static_assert(std::is_trivially_destructible_v<Cell> && sizeof(Cell) <= sizeof(Page));
    used_ = (used_ + alignof(Cell) - 1) / alignof(Cell) * alignof(Cell);
    if (pages_.empty() || used_ + sizeof(Cell) > sizeof(Page)) {
      pages_.push_back(std::make_unique<Page>());
      used_ = 0;
    }
    auto* const place = pages_.back()->bytes + used_;
    used_ += sizeof(Cell);
    return *new (place) Cell(arguments...);
  }

 private:
  static constexpr std::size_t kLine = 64;
  struct alignas(kLine) Page {
    std::byte bytes[4096];
  };
  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t used_ = 0;
};

using Key = std::pair<const Family*, LabelValues>;

/// The series of a type, each with the counters of its writers.
template <class Cell>
using Series = std::map<Key, std::map<Writer, Cell*>>;

template <class Cell, class... Arguments>
Cell& find_or_make(Series<Cell>& series, Cells& cells, Writer writer, Key key, const Arguments&... arguments) {
  auto& cell = series[std::move(key)][writer];
  if (cell == nullptr) cell = &cells.make<Cell>(arguments...);
  return *cell;
}

}  // namespace

struct Registry::State {
  mutable std::mutex mutex;  // guards all members up to the routes
  std::map<Writer, Cells> cells;
  Series<Counter> counters;
  Series<Histogram> histograms;
  Series<Level> levels;
  Series<CounterTable> tables;
  Series<CodeTable> codes;
  std::map<Key, Spell> spells;
  std::map<Key, Gauge> gauges;
  CountedRoutes counted_routes;
  std::map<Writer, WorkerRoutes> routes;
  std::map<Writer, WorkerTops> tops;

  // Guards the collectors while they are called. A second mutex is needed because collectors may take long and call
  // other modules, while other threads create series.
  mutable std::mutex collecting;
  std::vector<Collector> collectors;

  void read(Scrape& scrape) const;
};

Registry::Registry() : state_(std::make_unique<State>()) {}
Registry::~Registry() = default;

Counter& Registry::counter(Writer writer, const Family& family, const LabelValues& labels) {
  assert(family.type == Family::Type::counter && labels.size() == family.label_count());
  const std::lock_guard lock(state_->mutex);
  return find_or_make(state_->counters, state_->cells[writer], writer, {&family, labels});
}

Histogram& Registry::histogram(Writer writer, const Family& family, const LabelValues& labels) {
  assert(family.type == Family::Type::histogram && labels.size() == family.label_count());
  const std::lock_guard lock(state_->mutex);
  return find_or_make(state_->histograms, state_->cells[writer], writer, {&family, labels}, family.bounds);
}

Gauge& Registry::gauge(const Family& family, const LabelValues& labels) {
  assert(family.type == Family::Type::gauge && labels.size() == family.label_count());
  const std::lock_guard lock(state_->mutex);
  return state_->gauges[{&family, labels}];
}

CounterTable& Registry::table(Writer writer, const Family& family, const LabelValues& first, Spell spell) {
  assert(family.type == Family::Type::counter && first.size() < family.label_count());
  const std::lock_guard lock(state_->mutex);
  state_->spells[{&family, first}] = spell;
  return find_or_make(state_->tables, state_->cells[writer], writer, {&family, first});
}

Level& Registry::level(Writer writer, const Family& family, const LabelValues& labels) {
  assert(family.type == Family::Type::gauge && labels.size() == family.label_count());
  const std::lock_guard lock(state_->mutex);
  return find_or_make(state_->levels, state_->cells[writer], writer, {&family, labels});
}

CodeTable& Registry::codes(Writer writer, const Family& family, const LabelValues& first) {
  assert(family.type == Family::Type::counter && first.size() + 1 == family.label_count());
  const std::lock_guard lock(state_->mutex);
  return find_or_make(state_->codes, state_->cells[writer], writer, {&family, first});
}

WorkerRoutes& Registry::routes(Writer writer) {
  const std::lock_guard lock(state_->mutex);
  return state_->routes.try_emplace(writer, state_->counted_routes).first->second;
}

WorkerTops& Registry::tops(Writer writer) {
  const std::lock_guard lock(state_->mutex);
  return state_->tops.try_emplace(writer, writer).first->second;
}

void Registry::collect(Collector collector) {
  const std::lock_guard lock(state_->collecting);
  state_->collectors.push_back(std::move(collector));
}

void Registry::State::read(Scrape& scrape) const {
  const std::lock_guard lock(mutex);
  for (const auto& [key, writers] : counters) {
    std::uint64_t sum = 0;
    for (const auto& [writer, cell] : writers) sum += cell->read();
    scrape.value(*key.first, key.second, static_cast<double>(sum));
  }
  for (const auto& [writer, each] : routes) each.read(scrape);
  if (!routes.empty()) scrape.value(family::routes_counted, {}, static_cast<double>(counted_routes.size()));
  for (const auto& [key, gauge] : gauges) scrape.value(*key.first, key.second, gauge.read());
  for (const auto& [key, writers] : levels) {
    std::int64_t sum = 0;
    for (const auto& [writer, cell] : writers) sum += cell->read();
    scrape.value(*key.first, key.second, static_cast<double>(sum));
  }
  for (const auto& [key, writers] : codes) {
    for (const auto& [writer, table] : writers) {
      table->each([&, &key = key](CodeTable::Key code, std::uint64_t count) {
        auto labels = key.second;
        labels.push_back(code == CodeTable::kRest ? "_OTHER" : code == kNoCode ? "-" : std::to_string(code));
        scrape.value(*key.first, labels, static_cast<double>(count));
      });
    }
  }
  for (const auto& [key, writers] : histograms) {
    std::vector<std::uint64_t> counts(key.first->bounds.size() + 1);
    Duration sum{0};
    for (const auto& [writer, cell] : writers) {
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += cell->count(i);
      sum += cell->sum();
    }
    scrape.histogram(*key.first, key.second, counts, sum);
  }
  for (const auto& [key, writers] : tables) {
    for (const auto& [writer, table] : writers) {
      table->each([&, &key = key](CounterTable::Key number, std::uint64_t count) {
        auto labels = key.second;
        for (auto& label : spells.at(key)(number)) labels.push_back(std::move(label));
        scrape.value(*key.first, labels, static_cast<double>(count));
      });
    }
  }
}

std::map<std::string, std::uint64_t> Registry::sums(const Family& family, const LabelValues& first,
                                                    std::size_t by) const {
  std::map<std::string, std::uint64_t> out;
  const std::lock_guard lock(state_->mutex);
  for (auto at = state_->counters.lower_bound({&family, first}); at != state_->counters.end(); ++at) {
    const auto& [of, labels] = at->first;
    if (of != &family || !std::equal(first.begin(), first.end(), labels.begin())) break;
    for (const auto& [writer, cell] : at->second) out[labels.at(by)] += cell->read();
  }
  return out;
}

std::map<LabelValues, std::uint64_t> Registry::all(const Family& family) const {
  std::map<LabelValues, std::uint64_t> out;
  const std::lock_guard lock(state_->mutex);
  for (auto at = state_->counters.lower_bound({&family, {}}); at != state_->counters.end(); ++at) {
    const auto& [of, labels] = at->first;
    if (of != &family) break;
    for (const auto& [writer, cell] : at->second) out[labels] += cell->read();
  }
  return out;
}

Traffic Registry::traffic() const {
  Traffic out;
  const std::lock_guard lock(state_->mutex);
  for (const auto& [writer, each] : state_->routes) each.add_to(out);
  return out;
}

TrafficByRoute Registry::traffic_by_route() const {
  TrafficByRoute out;
  const std::lock_guard lock(state_->mutex);
  for (const auto& [writer, each] : state_->routes) each.add_to(out);
  return out;
}

std::size_t Registry::counted_routes() const { return state_->counted_routes.size(); }

Registry::GaugeReading Registry::gauges(const Family& family, const LabelValues& first) const {
  GaugeReading out;
  const std::lock_guard lock(state_->mutex);
  for (auto at = state_->gauges.lower_bound({&family, first}); at != state_->gauges.end(); ++at) {
    const auto& [of, labels] = at->first;
    if (of != &family || !std::equal(first.begin(), first.end(), labels.begin())) break;
    out.sum += at->second.read();
    out.highest = std::max(out.highest, at->second.read());
  }
  return out;
}

Scrape Registry::scrape() const {
  const std::lock_guard lock(state_->collecting);
  Scrape scrape;
  state_->read(scrape);
  for (const auto& collector : state_->collectors) collector(scrape);
  if (const auto series = scrape.series(); series > 0)
    scrape.value(family::metric_series, {}, static_cast<double>(series + 1));
  return scrape;
}

std::string Registry::text() const { return scrape().text(); }

std::string Registry::open_metrics() const { return scrape().open_metrics(); }

}  // namespace headgate::observe
