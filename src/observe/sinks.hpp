#pragma once
// Where log lines go, and the one thread that takes them there.

#include "headgate/observe/options.hpp"

#include <spdlog/async.h>
#include <spdlog/formatter.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace headgate::observe {

/// "stdout", "stderr", a file's path; null for "off".
spdlog::sink_ptr sink_for(const std::string& target);

/// Shared by all logs; made at first use.
std::shared_ptr<spdlog::details::thread_pool> log_thread();

spdlog::level::level_enum level_of(LogLevel level) noexcept;

/// Events as lines for people, or as JSON objects, where the message's own `name=value` words become fields.
std::unique_ptr<spdlog::formatter> event_formatter(LogFormat format);

}  // namespace headgate::observe
