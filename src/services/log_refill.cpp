#include "headgate/services/log_refill.hpp"

#include <algorithm>
#include <utility>

namespace headgate::services {

LogRefill::LogRefill(Clock& clock, LogExchange& log, All all)
    : log_(log),
      all_(std::move(all)),
      alarm_(clock.alarm([](void* self) { static_cast<LogRefill*>(self)->write_some(); }, this)),
      random_(std::random_device{}()) {
  log_.tell_whole({.begins = [this] { begins(); }, .ends = [this] { ends(); }});
}

Hash LogRefill::name_of(std::string_view limit, std::string_view key) { return keyed_hash(key, stable_hash(limit)); }

void LogRefill::seen(const Hash& name) {
  if (watches_) seen_.insert(name);
}

void LogRefill::stop() {
  stopped_ = true;
  alarm_.reset();
}

void LogRefill::begins() {
  missing_.clear();
  seen_.clear();
  watches_ = reads_ = true;
}

void LogRefill::ends() {
  reads_ = false;
  missing_ = all_();
  std::erase_if(missing_, [this](const Known& each) { return seen_.contains(each.name); });
  std::shuffle(missing_.begin(), missing_.end(), random_);
  arm(std::chrono::milliseconds(random_() % 1000));
}

void LogRefill::arm(Duration after) {
  if (missing_.empty()) {
    watches_ = false;
    seen_.clear();
  }
  if (!stopped_ && !missing_.empty()) alarm_->set(after);
}

void LogRefill::write_some() {
  if (reads_) return;  // the log is being read; after that, the missing entries are determined again
  // Missing entries must not be written after a change that waits, such as a lift: an old entry would then count as
  // newer than the change. The wait also keeps entries from piling up while Redis is down.
  if (log_.waits()) return arm(kPeriod);
  for (std::size_t count = 0; count < kAtOnce && !missing_.empty(); missing_.pop_back()) {
    if (seen_.contains(missing_.back().name)) continue;
    log_.add(std::move(missing_.back().entry));
    ++count;
  }
  log_.hurry();
  arm(kPeriod);
}

}  // namespace headgate::services
