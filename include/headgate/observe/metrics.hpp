#pragma once
// All that this process counts. Series are made when a configuration is loaded; the path only adds to their cells.

#include "headgate/observe/metrics_cells.hpp"
#include "headgate/observe/metrics_scrape.hpp"
#include "headgate/observe/metrics_table.hpp"

#include <functional>
#include <memory>
#include <string>

namespace headgate::observe {

/// Whose cells: a worker's number from 0, or the main thread's. Cells of two writers never share a cache line.
using Writer = std::uint32_t;
inline constexpr Writer kMainThread = ~Writer{0};

/// One per process; outlives whoever has a cell of it. Any thread may make series, find them again and scrape; each
/// cell is then written by its one writer only. Nothing is ever removed: a reload that asks for the same labels gets
/// the same cell, so that no counter goes backwards.
class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  Counter& counter(Writer writer, const Family& family, const LabelValues& labels);
  Histogram& histogram(Writer writer, const Family& family, const LabelValues& labels);
  Gauge& gauge(const Family& family, const LabelValues& labels);

  /// The family's last labels come from the table's keys, the first are given.
  using Spell = LabelValues (*)(CounterTable::Key key);
  CounterTable& table(Writer writer, const Family& family, const LabelValues& first, Spell spell);

  /// Run at every scrape, on the thread that scrapes, never two at once; for as long as this lives.
  using Collector = std::function<void(Scrape&)>;
  void collect(Collector collector);

  /// Everything as text. Takes what it takes: for the admin thread, not for a worker's.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::observe
