#pragma once
// Whether the files that TLS to Redis needs are there and fit together: what `check` asks before anything connects.

#include "headgate/core/result.hpp"
#include "headgate/redis/options.hpp"

#include <string>

namespace headgate::redis {

/// Reads the files of `options` as a limiter would; the error names the file and what is wrong with it, in one line
/// without a full stop. Blocks for as long as the disk takes; any thread.
Result<void, std::string> check_tls(const TlsOptions& options);

}  // namespace headgate::redis
