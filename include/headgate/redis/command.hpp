#pragma once
// Commands as bytes, many after another in one buffer: what one turn of the loop asks leaves in one write.

#include <span>
#include <string>
#include <string_view>

namespace headgate::redis {

/// Appends one command of these words. The same bytes as redisFormatSdsCommandArgv makes (a test compares), without its
/// allocation and copy: measured 62 ns against 218 ns for a decision of one rule, of about 1000 that a request may cost
/// in all.
void append_command(std::string& out, std::span<const std::string_view> words);

}  // namespace headgate::redis
