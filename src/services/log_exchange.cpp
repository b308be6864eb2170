#include "headgate/services/log_exchange.hpp"

#include <algorithm>
#include <utility>

namespace headgate::services {
namespace {

/// Interval at which this gateway reports to the others that it exists. They forget it after three intervals without a
/// report.
constexpr auto kSayEvery = std::chrono::seconds(5);
constexpr auto kListenEvery = std::chrono::milliseconds(50);

}  // namespace

LogExchange::LogExchange(Clock& clock, Apply apply)
    : clock_(clock),
      calls_(clock),
      apply_(std::move(apply)),
      alarm_(clock.alarm([](void* self) { static_cast<LogExchange*>(self)->tick(); }, this)),
      listen_alarm_(clock.alarm([](void* self) { static_cast<LogExchange*>(self)->look_who_has_heard(); }, this)) {}

void LogExchange::use(LogPtr log) {
  if (log_) spawn(leave(std::exchange(log_, nullptr)), "leave of a shared log");
  position_.clear();
  applied_.clear();
  said_ = {};
  if (stopped_) return;
  log_ = std::move(log);
  if (log_) return hurry();
  for (const auto& each : std::exchange(listeners_, {})) each.tell(each.spread);
}

void LogExchange::hurry() {
  changed_ = clock_.steady();
  again_ = under_way_;
  tick();
}

void LogExchange::add(limit::LogEntry entry) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) waiting_.pop_front();
    waiting_.push_back({++added_, std::move(entry)});
    if (waiting_.size() > 1) return;
  }
  calls_.post([this] { wake(); });
}

/// Reads the log at short intervals again, because it is changing.
void LogExchange::wake() {
  const auto now = clock_.steady();
  const bool slept = now - changed_ >= kAwake;
  changed_ = now;
  if (slept && !under_way_) arm();
}

bool LogExchange::waits() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

void LogExchange::when_heard(Tell tell) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = added_;
  }
  calls_.post([this, number, tell = std::move(tell)]() mutable {
    listen({.number = number, .end = clock_.steady() + kHearing, .tell = std::move(tell)});
  });
}

void LogExchange::stop() {
  stopped_ = true;
  alarm_.reset();
  listen_alarm_.reset();
  listeners_.clear();
  if (log_) spawn(leave(std::exchange(log_, nullptr)), "leave of a shared log");
}

Task<void> LogExchange::leave(LogPtr log) {
  auto call = log->leave();
  static_cast<void>(co_await call);
  log->stop();
}

void LogExchange::tick() {
  if (!log_ || under_way_) return;
  under_way_ = true;
  spawn(exchange(shared_from_this(), log_), "shared log");
}

Task<void> LogExchange::exchange(std::shared_ptr<LogExchange> self, LogPtr log) {
  auto sending = self->send(*log);
  const bool sent = co_await sending;
  if (sent && self->log_ == log) {
    auto receiving = self->receive(log);
    if (co_await receiving && self->log_ == log) {
      self->read_once_ = true;
      if (self->clock_.steady() - self->said_ >= kSayEvery) self->say_here();
    }
  }
  self->under_way_ = false;
  if (std::exchange(self->again_, false)) co_return self->tick();
  self->arm();
}

/// Appends the waiting changes to the log. Returns false if Redis did not accept all of them; the rest waits for the
/// next turn.
Task<bool> LogExchange::send(limit::SharedLog& log) {
  for (;;) {
    Change next;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) co_return true;
      next = waiting_.front();
    }
    auto call = log.append(next.entry);
    const auto version = co_await call;
    if (version.has_error()) co_return false;
    {
      const std::lock_guard lock(mutex_);
      if (!waiting_.empty() && waiting_.front().number == next.number) waiting_.pop_front();
    }
    written(next.number, *version);
  }
}

Task<bool> LogExchange::receive(const LogPtr& log) {
  for (;;) {
    auto call = log->read(position_);
    auto news = co_await call;
    // After an error the log is read again soon, because much may have changed when Redis is back.
    if (news.has_error()) changed_ = clock_.steady();
    if (news.has_error() || log_ != log) co_return false;
    const bool moved = position_ != news->position;
    position_ = std::move(news->position);
    read_since_ += news->entries.size();
    if (news->from_beginning && whole_.begins) {
      whole_.begins();
      reads_whole_ = true;
      read_since_ = 0;
    }
    if (!news->entries.empty() || moved) {
      changed_ = clock_.steady();
      apply_(std::move(news->entries), [weak = weak_from_this(), log, position = position_] {
        if (const auto self = weak.lock())
          self->calls_.dispatch([to = self.get(), log, position] { to->applied(log, position); });
      });
    }
    if (news->more) continue;
    if (std::exchange(reads_whole_, false)) {
      read_since_ = 0;
      whole_.ends();
    }
    if (whole_.begins && read_since_ >= kReadAgain) position_.clear();  // The next turn starts from the beginning.
    co_return true;
  }
}

void LogExchange::arm() {
  if (stopped_ || !log_) return;
  const bool awake = clock_.steady() - changed_ < kAwake;
  alarm_->set(awake ? Duration(kPeriod) : Duration(kIdlePeriod));
}

void LogExchange::written(std::uint64_t number, std::uint64_t version) {
  written_ = number;
  version_ = version;
  for (auto& each : listeners_) {
    if (each.version != 0 || each.number > number) continue;
    each.version = version;
    each.spread.written = true;
  }
}

/// Confirms the changes at once, because a caller of another gateway may be waiting for it.
void LogExchange::applied(const LogPtr& log, const std::string& position) {
  if (log != log_ || stopped_) return;
  applied_ = position;
  say_here();
}

void LogExchange::say_here() {
  if (hearing_) {
    say_again_ = true;
    return;
  }
  hearing_ = true;
  spawn(hear(shared_from_this(), log_), "who has heard");
}

void LogExchange::listen(Listener listener) {
  if (stopped_) return;
  if (!log_) return listener.tell({});
  if (listener.number <= written_) {
    listener.version = version_;
    listener.spread.written = true;
  }
  const bool first = listeners_.empty();
  listeners_.push_back(std::move(listener));
  hurry();
  if (first) listen_alarm_->set(kListenEvery);
}

void LogExchange::look_who_has_heard() {
  const auto now = clock_.steady();
  std::erase_if(listeners_, [now](const Listener& each) {
    const bool done = now >= each.end || (each.spread.heard && each.spread.heard->heard == each.spread.heard->of);
    if (done) each.tell(each.spread);
    return done;
  });
  if (listeners_.empty()) return;
  if (std::any_of(listeners_.begin(), listeners_.end(), [](const auto& each) { return each.version != 0; })) say_here();
  listen_alarm_->set(kListenEvery);
}

/// Asks how many gateways have read the log up to each version that somebody waits for. Makes at least one call,
/// because a call also reports to the other gateways that this one exists.
Task<void> LogExchange::hear(std::shared_ptr<LogExchange> self, LogPtr log) {
  do {
    self->say_again_ = false;
    self->said_ = self->clock_.steady();
    std::vector<std::uint64_t> versions;
    for (const auto& each : self->listeners_)
      if (each.version != 0) versions.push_back(each.version);
    if (versions.empty()) versions.push_back(0);
    for (const auto version : versions) {
      auto call = log->hear(self->applied_, version);
      const auto told = co_await call;
      if (told.has_error() || self->log_ != log) break;
      for (auto& each : self->listeners_)
        if (each.version == version) each.spread.heard = *told;
    }
  } while (self->say_again_ && self->log_ == log);
  self->hearing_ = false;
}

}  // namespace headgate::services
