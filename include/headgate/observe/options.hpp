#pragma once
// What a configuration says of logs.

#include <string>

namespace headgate::observe {

enum class LogFormat { text, json };
enum class LogLevel { debug, info, warning, error, off };

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::string access = "stdout";  ///< "stdout", "stderr", "off", or a file's path
  std::string error = "stderr";   ///< "stderr", "stdout", "off", or a file's path
  bool operator==(const LogOptions&) const = default;
};

}  // namespace headgate::observe
