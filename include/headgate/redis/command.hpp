#pragma once
// Serialises Redis commands into one buffer, so that all commands of one turn of the event loop are sent with one
// write. Used by connection.

#include <span>
#include <string>
#include <string_view>

namespace headgate::redis {

/// Appends one command with these words. The bytes are those of redisFormatSdsCommandArgv (a test compares), without
/// its allocation and copy. Measured: 62 ns instead of 218 ns for a decision with one rule, of about 1000 ns for a
/// whole request.
void append_command(std::string& out, std::span<const std::string_view> words);

}  // namespace headgate::redis
