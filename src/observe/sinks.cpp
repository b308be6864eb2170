#include "sinks.hpp"

#include "access_line.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace headgate::observe {
namespace {

constexpr std::size_t kQueuedLines = 8192;

class JsonEvents final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    std::string line;
    append_json_event({message.payload.data(), message.payload.size()},
                      spdlog::level::to_string_view(message.level).data(),
                      std::chrono::time_point_cast<Duration>(message.time), line);
    out.append(line.data(), line.data() + line.size());
    out.push_back('\n');
  }
  std::unique_ptr<formatter> clone() const override { return std::make_unique<JsonEvents>(); }
};

/// For people: time, level, and the sentence; an event that is all fields keeps its name in front.
class TextEvents final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    std::string line;
    append_text_event({message.payload.data(), message.payload.size()},
                      spdlog::level::to_string_view(message.level).data(),
                      std::chrono::time_point_cast<Duration>(message.time), line);
    line += '\n';
    out.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<formatter> clone() const override { return std::make_unique<TextEvents>(); }
};

}  // namespace

spdlog::sink_ptr sink_for(const std::string& target) {
  if (target == "off") return nullptr;
  if (target == "stdout") return std::make_shared<spdlog::sinks::stdout_sink_mt>();
  if (target == "stderr") return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  return std::make_shared<spdlog::sinks::basic_file_sink_mt>(target);
}

std::shared_ptr<spdlog::details::thread_pool> log_thread() {
  if (!spdlog::thread_pool()) spdlog::init_thread_pool(kQueuedLines, 1);
  return spdlog::thread_pool();
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

std::unique_ptr<spdlog::formatter> event_formatter(LogFormat format) {
  if (format == LogFormat::json) return std::make_unique<JsonEvents>();
  return std::make_unique<TextEvents>();
}

}  // namespace headgate::observe
