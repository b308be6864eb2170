#include "headgate/observe/logs.hpp"

#include "event_line.hpp"
#include "event_sentence.hpp"
#include "left_out.hpp"
#include "output.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/task.hpp"
#include "headgate/observe/key_id.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace headgate::observe {
namespace {

constexpr Duration kLastWords = std::chrono::seconds(2);

/// The format of events.
struct Style {
  LogFormat format = LogFormat::text;
  std::string instance;
  Hash key{};  ///< the secret of `key_id`
};
/// Guards the style, which a reload replaces while other threads write events. Events are rare, so a mutex is fast
/// enough.
std::mutex style_mutex;
std::shared_ptr<const Style> style = std::make_shared<const Style>();

std::shared_ptr<const Style> style_now() {
  const std::lock_guard lock(style_mutex);
  return style;
}

void use_style(LogFormat format, const std::string& instance, const Hash& key) {
  auto next = std::make_shared<const Style>(Style{format, instance, key});
  const std::lock_guard lock(style_mutex);
  style = std::move(next);
}

/// Guards the tap. Usually there is no tap, and then the lock is not taken.
std::mutex tap_mutex;
EventTap event_tap;
std::atomic<bool> tapped{false};

thread_local int no_events = 0;

void give_to_tap(const Event& told, const Style& as) {
  if (told.level < LogLevel::info) return;
  const auto sentence = sentence_of(told);
  std::vector<EventField> fields(told.fields.begin(), told.fields.end());
  fields.emplace_back("sentence", sentence);
  std::string line;
  append_json_event({told.level, told.name, told.sentence, fields}, as.instance, now(), line);
  const std::lock_guard lock(tap_mutex);
  if (event_tap) event_tap(told.name, line);
}

spdlog::level::level_enum level_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

/// Returns the severity in the numbers of syslog.
char severity_of(spdlog::level::level_enum level) noexcept {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return '7';
    case spdlog::level::warn:
      return '4';
    case spdlog::level::err:
    case spdlog::level::critical:
      return '3';
    default:
      return '6';
  }
}

/// The sink of spdlog that puts whole lines of events into a lane. Any thread.
class ToOutput final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// Uses another output from now on; null drops all lines.
  void use(std::shared_ptr<Output> output) {
    const std::lock_guard lock(mutex_);
    if (output == output_) return;
    if (lane_) dropped_before_ += lane_->dropped();
    lane_ = output ? &output->lane() : nullptr;
    output_ = std::move(output);
  }
  std::uint64_t dropped() {
    const std::lock_guard lock(mutex_);
    return dropped_before_ + (lane_ ? lane_->dropped() : 0);
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!lane_) return;
    line_.clear();
    if (output_->takes_marks()) {
      line_ += severity_of(message.level);
      line_ += Output::kEvent;
    }
    line_.append(message.payload.data(), message.payload.size());
    line_ += '\n';
    lane_->push(line_);
    output_->nudge();
  }
  void flush_() override {}

  std::shared_ptr<Output> output_;
  Lane* lane_ = nullptr;  // a lane of the output
  std::uint64_t dropped_before_ = 0;
  std::string line_;
};

using Opened = Result<std::shared_ptr<Output>, LogFailure>;

/// Opens a target. Returns null for "off".
Opened open_target(LogFailure::Which which, const std::string& target) {
  if (target == "off") return std::shared_ptr<Output>();
  auto output = Output::open(target);
  if (output.has_error()) return Opened(boost::system::in_place_error, LogFailure{which, output.error()});
  return std::move(*output);
}

void report_bug(std::string_view task, std::string_view what) noexcept {
  event(LogLevel::error, "bug", "an unexpected exception occurred in this gateway", {{"task", task}, {"what", what}});
}

}  // namespace

void event(LogLevel level, std::string_view name, std::string_view sentence, std::initializer_list<EventField> fields) {
  if (no_events > 0) return;
  auto* const log = spdlog::default_logger_raw();
  const auto severity = level_of(level);
  const bool logged = log != nullptr && log->should_log(severity);
  const bool also_to_tap = tapped.load(std::memory_order_relaxed);
  if (!logged && !also_to_tap) return;
  const Event told{.level = level, .name = name, .sentence = sentence, .fields = {fields.begin(), fields.size()}};
  const auto as = style_now();
  if (also_to_tap) give_to_tap(told, *as);
  if (!logged) return;
  std::string line;
  if (as->format == LogFormat::json)
    append_json_event(told, as->instance, now(), line);
  else if (as->format == LogFormat::ecs)
    append_ecs_event(told, as->instance, now(), line);
  else
    append_text_event(told, now(), line);
  log->log(severity, spdlog::string_view_t(line.data(), line.size()));
}

NoEvents::NoEvents() noexcept { ++no_events; }
NoEvents::~NoEvents() { --no_events; }

void events_to_stderr() {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
}

void tap_events(EventTap tap) {
  const std::lock_guard lock(tap_mutex);
  tapped = static_cast<bool>(tap);
  event_tap = std::move(tap);
}

std::string key_id(std::string_view key) { return std::string(KeyId(key, style_now()->key).text()); }

/// Options with their open targets.
struct Logs::Next::State {
  LogOptions options;
  std::shared_ptr<Output> access, error;  ///< the same output if both have one target; null if off
};

Logs::Next::Next(std::unique_ptr<State> state) : state_(std::move(state)) {}
Logs::Next::Next(Next&&) noexcept = default;
Logs::Next& Logs::Next::operator=(Next&&) noexcept = default;
Logs::Next::~Next() = default;

struct Logs::State {
  mutable std::mutex mutex;  ///< guards the members below, except those of the main thread
  Next::State now;
  std::shared_ptr<LeftOut> left_out;  ///< null until its first use
  std::vector<const Lane*> lanes;     ///< lanes of all workers in the output of the access log
  std::uint64_t dropped_before = 0;   ///< number of lines that were dropped in outputs that are closed now

  std::vector<std::shared_ptr<Output>> unused;  ///< earlier outputs that workers may still write to; main thread only
  std::vector<std::shared_ptr<Output>> ending;  ///< outputs that still write their last lines; main thread only
  std::vector<const Lane*> lanes_before;  ///< lanes of the access log in the outputs of `unused`; guarded by the mutex
  std::shared_ptr<ToOutput> events = std::make_shared<ToOutput>();
  std::shared_ptr<RecentLines> recent = std::make_shared<RecentLines>();
  std::shared_ptr<spdlog::logger> before = spdlog::default_logger();
};

Logs::Logs(const LogOptions& options) : state_(std::make_unique<State>()) {
  // keyed_hash has a random secret in each process, so this key differs after each start.
  state_->now.options.key = keyed_hash("key_id", 0);
  auto next = prepare(options);
  if (next.has_error()) throw std::runtime_error(next.error().why);
  auto events = std::make_shared<spdlog::logger>("events");
  events->sinks().push_back(state_->events);
  spdlog::set_default_logger(std::move(events));
  use(std::move(*next));
  report_bugs_to(report_bug);
}

Result<Logs::Next, LogFailure> Logs::prepare(const LogOptions& options) const {
  using Made = Result<Next, LogFailure>;
  const auto& now = state_->now;
  auto next = std::make_unique<Next::State>();
  next->options = options;
  if (options.level == LogLevel::off) next->options.error = "off";
  if (!options.key) next->options.key = now.options.key;
  const auto open_one = [&](LogFailure::Which which, const std::string& target) -> Opened {
    if (now.access && now.options.access == target) return now.access;
    if (now.error && now.options.error == target) return now.error;
    return open_target(which, target);
  };
  auto error = open_one(LogFailure::Which::error, next->options.error);
  if (error.has_error()) return Made(boost::system::in_place_error, std::move(error.error()));
  next->error = std::move(*error);
  const bool together = next->error && next->options.access == next->options.error;
  auto access = together ? Opened(next->error) : open_one(LogFailure::Which::access, next->options.access);
  if (access.has_error()) return Made(boost::system::in_place_error, std::move(access.error()));
  next->access = std::move(*access);
  return Next(std::move(next));
}

void Logs::use(Next next) {
  auto& state = *state_;
  auto before = std::exchange(*next.state_, {});
  {
    const std::lock_guard lock(state.mutex);
    std::swap(before, state.now);
    const auto& options = state.now.options;
    if (!state.left_out && (options.keep_ok < 1'000'000 || options.refusals_every > Duration(0)))
      state.left_out = std::make_shared<LeftOut>();
    if (before.access != state.now.access) {
      state.lanes_before.insert(state.lanes_before.end(), state.lanes.begin(), state.lanes.end());
      state.lanes.clear();
    }
  }
  const auto& now = state.now;
  if (before.access && before.access != now.access) before.access->keep(nullptr);
  if (now.access) now.access->keep(state.recent);
  for (const auto& each : {now.error, now.access})
    if (each) each->start();
  use_style(now.error && now.error->takes_fields() ? LogFormat::json : now.options.format, now.options.instance,
            now.options.key.value_or(Hash{}));
  state.events->use(now.error);
  spdlog::default_logger_raw()->set_level(now.error ? level_of(now.options.level) : spdlog::level::off);
  for (const auto& each : {before.error, before.access}) {
    const bool used = !each || each == now.error || each == now.access;
    if (!used && (state.unused.empty() || state.unused.back() != each)) state.unused.push_back(each);
  }
}

std::string Logs::recent() const { return state_->recent->text(now()); }

void Logs::close_unused() {
  auto& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    for (const auto* lane : state.lanes_before) state.dropped_before += lane->dropped();
    state.lanes_before.clear();
  }
  for (auto& each : std::exchange(state.unused, {})) {
    each->end();
    state.ending.push_back(std::move(each));
  }
  std::erase_if(state.ending, [](const auto& each) { return each->ended(); });
}

Logs::~Logs() {
  auto& state = *state_;
  for (auto& each : state.unused) state.ending.push_back(std::move(each));
  if (state.now.access && state.now.access != state.now.error) state.ending.push_back(state.now.access);
  // Closing may report an error as an event, so the error log is closed last.
  for (const auto& each : state.ending) each->close(kLastWords);
  spdlog::set_default_logger(state.before);
  if (state.now.error) state.now.error->close(kLastWords);
  use_style({}, {}, {});
  report_bugs_to(nullptr);
}

AccessLog Logs::access_log(const AccessLog* before) {
  const std::lock_guard lock(state_->mutex);
  const auto& now = state_->now;
  if (!now.access) return {};
  const auto& left_out = state_->left_out;
  if (before != nullptr && before->output_ == now.access) return {now.options, now.access, *before->lane_, left_out};
  auto& lane = now.access->lane();
  state_->lanes.push_back(&lane);
  return {now.options, now.access, lane, left_out};
}

bool Logs::use_level(LogLevel level) noexcept {
  const std::lock_guard lock(state_->mutex);
  if (!state_->now.error) return false;
  spdlog::default_logger_raw()->set_level(level_of(level));
  return true;
}

LogLevel Logs::level() const noexcept {
  const auto severity = spdlog::default_logger_raw()->level();
  for (const auto each : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error})
    if (severity <= level_of(each)) return each;
  return LogLevel::off;
}

void Logs::reopen() noexcept {
  const auto& now = state_->now;
  if (now.access) now.access->reopen();
  if (now.error && now.error != now.access) now.error->reopen();
}

std::string Logs::key_id(std::string_view key) const {
  const std::lock_guard lock(state_->mutex);
  return std::string(KeyId(key, *state_->now.options.key).text());
}

Logs::Failing Logs::failing() const {
  const std::lock_guard lock(state_->mutex);
  const auto& now = state_->now;
  return {.access = now.access && now.access->failing(), .error = now.error && now.error->failing()};
}

static_assert(Logs::kMaxQueued == Lane::kBlock * Lane::kBlocks);

Logs::Queued Logs::queued() const {
  const std::lock_guard lock(state_->mutex);
  const auto& now = state_->now;
  return {.access = now.access ? now.access->fullest() : 0, .error = now.error ? now.error->fullest() : 0};
}

Logs::Dropped Logs::dropped() const {
  Dropped out;
  const std::lock_guard lock(state_->mutex);
  out.access = state_->dropped_before;
  for (const auto* lane : state_->lanes) out.access += lane->dropped();
  for (const auto* lane : state_->lanes_before) out.access += lane->dropped();
  out.error = state_->events->dropped();
  const auto& current = state_->now;
  if (current.access) out.access += current.access->lost();
  if (current.error && current.error != current.access) out.error += current.error->lost();
  if (state_->left_out) {
    out.ok_left_out = state_->left_out->ok();
    out.refusals_left_out = state_->left_out->refusals();
  }
  return out;
}

}  // namespace headgate::observe
