#pragma once
// What a configuration says of logs.

#include "headgate/core/hash.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::observe {

enum class LogFormat { text, json };
enum class LogLevel { debug, info, warning, error, off };

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::string access = "stdout";      ///< "stdout", "stderr", "off", or a file's path
  std::string error = "stderr";       ///< "stderr", "stdout", "off", or a file's path
  std::string instance = "headgate";  ///< which gateway wrote a line
  std::optional<Hash> key;            ///< what `key_id` is made under; else one drawn for this process
  std::vector<std::string> callers;  ///< what is told of callers in clear: "owner", "jwt.<claim>"; at most kMostCallers
  static constexpr std::size_t kMostCallers = 8;
  bool operator==(const LogOptions&) const = default;
};

}  // namespace headgate::observe
