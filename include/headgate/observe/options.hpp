#pragma once
// The options of logs.

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
  std::string instance = "headgate";  ///< the gateway's name in log lines
  std::optional<Hash> key;            ///< the secret for `key_id`; absent: a random one for this process
  std::vector<std::string> callers;   ///< caller fields in clear text: "owner", "jwt.<claim>"; at most kMaxCallers
  static constexpr std::size_t kMaxCallers = 8;
  bool operator==(const LogOptions&) const = default;
};

}  // namespace headgate::observe
