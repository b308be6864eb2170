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

/// A set of access log fields, with one bit for each index of kAccessFields (access_fields.hpp).
using AccessFieldSet = std::uint64_t;
inline constexpr AccessFieldSet kAllAccessFields = ~AccessFieldSet{0};

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::string access = "stdout";             ///< "stdout", "stderr", "off", or the path of a file
  std::string error = "stderr";              ///< "stderr", "stdout", "off", or the path of a file
  std::string instance = "headgate";         ///< name of the gateway in log lines
  std::optional<Hash> key;                   ///< secret for `key_id`; empty if the process generates a random one
  AccessFieldSet fields = kAllAccessFields;  ///< the fields of a line in the format `json`
  std::uint32_t keep_ok = 1'000'000;         ///< share of lines with a status below 400 that is logged, in millionths
  Duration refusals_every{0};  ///< shortest time between two logged refusals of one key; 0 if every refusal is logged
  std::vector<std::string> callers;  ///< caller fields in clear text: "owner", "jwt.<claim>"; at most kMaxCallers
  static constexpr std::size_t kMaxCallers = 8;
  bool operator==(const LogOptions&) const = default;
};

}  // namespace headgate::observe
