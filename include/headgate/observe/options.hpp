#pragma once
// The options of logs.

#include "headgate/core/hash.hpp"
#include "headgate/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::observe {

enum class LogFormat { text, json, combined, ecs };
enum class LogLevel { debug, info, warning, error, off };

/// A set of fields of the access log, a bit for each index of kAccessFields (access_fields.hpp).
using AccessFieldSet = std::uint64_t;
inline constexpr AccessFieldSet kAllAccessFields = ~AccessFieldSet{0};

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::string access = "stdout";             ///< "stdout", "stderr", "off", or a file's path
  std::string error = "stderr";              ///< "stderr", "stdout", "off", or a file's path
  std::string instance = "headgate";         ///< the gateway's name in log lines
  std::optional<Hash> key;                   ///< the secret for `key_id`; absent: a random one for this process
  AccessFieldSet fields = kAllAccessFields;  ///< which fields a line of the format `json` has
  std::uint32_t keep_ok = 1'000'000;         ///< of the lines with a status below 400, in millionths
  Duration refusals_every{0};                ///< of one key at most one refusal is logged in this time; 0: each
  std::vector<std::string> callers;  ///< caller fields in clear text: "owner", "jwt.<claim>"; at most kMaxCallers
  static constexpr std::size_t kMaxCallers = 8;
  bool operator==(const LogOptions&) const = default;
};

}  // namespace headgate::observe
