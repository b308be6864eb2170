#pragma once
// Commands as bytes, several in one buffer: all commands of one turn of the event loop leave in one write.

#include <span>
#include <string>
#include <string_view>

namespace headgate::redis {

/// Appends one command of these words. The bytes are those of redisFormatSdsCommandArgv (a test compares), without its
/// allocation and copy. Measured: 62 ns instead of 218 ns for a decision of one rule, of about 1000 ns for a whole
/// request.
void append_command(std::string& out, std::span<const std::string_view> words);

}  // namespace headgate::redis
