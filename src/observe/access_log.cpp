#include "headgate/observe/access_log.hpp"

#include "access_line.hpp"
#include "sinks.hpp"

#include <spdlog/async.h>
#include <spdlog/spdlog.h>

#include <chrono>

namespace headgate::observe {

struct AccessLog::Logger {
  std::shared_ptr<spdlog::logger> lines;
};

AccessLog::AccessLog(const LogOptions& options) : format_(options.format) {
  auto sink = sink_for(options.access);
  if (!sink || options.level == LogLevel::off) return;
  auto lines = std::make_shared<spdlog::async_logger>("access", std::move(sink), log_thread(),
                                                      spdlog::async_overflow_policy::overrun_oldest);
  lines->set_pattern("%v");
  logger_ = std::make_unique<Logger>(Logger{std::move(lines)});
}

AccessLog::~AccessLog() = default;

void AccessLog::write(const AccessRecord& record) {
  thread_local std::string line;
  line.clear();
  if (format_ == LogFormat::json)
    append_json_line(record, now(), line);
  else
    append_text_line(record, now(), line);
  logger_->lines->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

void open_event_log(const LogOptions& options) {
  auto sink = sink_for(options.error);
  if (!sink) {
    spdlog::set_level(spdlog::level::off);
    return;
  }
  auto events = std::make_shared<spdlog::async_logger>("events", std::move(sink), log_thread(),
                                                       spdlog::async_overflow_policy::overrun_oldest);
  events->set_formatter(event_formatter(options.format));
  events->set_level(level_of(options.level));
  events->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(events));
}

void shut_down_logs() { spdlog::shutdown(); }

}  // namespace headgate::observe
