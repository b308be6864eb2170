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

/// Events as JSON objects: the message's own `name=value` words become its fields.
std::unique_ptr<spdlog::formatter> json_event_formatter();

}  // namespace headgate::observe
