#include "headgate/observe/logs.hpp"

#include "event_line.hpp"
#include "output.hpp"

#include "headgate/core/task.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <mutex>
#include <stdexcept>

namespace headgate::observe {
namespace {

constexpr Duration kLastWords = std::chrono::seconds(2);

/// The format of events; set while no other thread runs.
struct Style {
  LogFormat format = LogFormat::text;
  std::string instance;
};
Style style;

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

/// Queues whole lines, from any thread.
class ToOutput final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ToOutput(std::shared_ptr<Output> output) : output_(std::move(output)), lane_(output_->lane()) {}
  const Lane& lane() const noexcept { return lane_; }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    line_.assign(message.payload.data(), message.payload.size());
    line_ += '\n';
    lane_.push(line_);
    output_->nudge();
  }
  void flush_() override {}

  std::shared_ptr<Output> output_;
  Lane& lane_;
  std::string line_;
};

std::shared_ptr<Output> opened(const std::string& target) {
  if (target == "off") return nullptr;
  auto output = Output::open(target);
  if (output.has_error()) throw std::runtime_error(output.error());
  return std::move(*output);
}

void report_bug(std::string_view task, std::string_view what) noexcept {
  event(LogLevel::error, "bug", "an unexpected exception", {{"task", task}, {"what", what}});
}

}  // namespace

void event(LogLevel level, std::string_view name, std::string_view sentence, std::initializer_list<EventField> fields) {
  auto* const log = spdlog::default_logger_raw();
  const auto severity = level_of(level);
  if (log == nullptr || !log->should_log(severity)) return;
  const Event told{.level = level, .name = name, .sentence = sentence, .fields = {fields.begin(), fields.size()}};
  std::string line;
  if (style.format == LogFormat::json)
    append_json_event(told, style.instance, now(), line);
  else
    append_text_event(told, now(), line);
  log->log(severity, spdlog::string_view_t(line.data(), line.size()));
}

struct Logs::State {
  LogOptions options;
  std::shared_ptr<Output> access, error;
  std::shared_ptr<ToOutput> events;
  mutable std::mutex mutex;
  std::vector<const Lane*> lanes;  ///< the workers' lanes; guarded by the mutex
  std::shared_ptr<spdlog::logger> before = spdlog::default_logger();
};

Logs::Logs(const LogOptions& options) : state_(std::make_unique<State>()) {
  auto& state = *state_;
  state.options = options;
  if (options.level == LogLevel::off) state.options.access = state.options.error = "off";
  // keyed_hash has another random secret in each process, so this key differs at each start.
  if (!options.key) state.options.key = keyed_hash("key_id", 0);
  state.error = opened(state.options.error);
  const bool together = state.error && state.options.access == state.options.error;
  state.access = together ? state.error : opened(state.options.access);
  if (state.error) state.error->start();
  if (state.access && !together) state.access->start();
  style = {options.format, options.instance};
  auto events = std::make_shared<spdlog::logger>("events");
  if (state.error) {
    state.events = std::make_shared<ToOutput>(state.error);
    events->sinks().push_back(state.events);
  }
  events->set_level(state.error ? level_of(options.level) : spdlog::level::off);
  spdlog::set_default_logger(std::move(events));
  report_bugs_to(report_bug);
}

Logs::~Logs() {
  const auto& access = state_->access;
  if (access && access != state_->error) access->close(kLastWords);  // its last error is an event
  spdlog::set_default_logger(state_->before);
  if (state_->error) state_->error->close(kLastWords);
  style = {};
  report_bugs_to(nullptr);
}

AccessLog Logs::access_log() {
  if (!state_->access) return {};
  auto& lane = state_->access->lane();
  const std::lock_guard lock(state_->mutex);
  state_->lanes.push_back(&lane);
  return {state_->options, state_->access, lane};
}

void Logs::reopen() noexcept {
  if (state_->access) state_->access->reopen();
  if (state_->error && state_->error != state_->access) state_->error->reopen();
}

Logs::Dropped Logs::dropped() const {
  Dropped out;
  const std::lock_guard lock(state_->mutex);
  for (const auto* lane : state_->lanes) out.access += lane->dropped();
  if (state_->events) out.error = state_->events->lane().dropped();
  return out;
}

}  // namespace headgate::observe
