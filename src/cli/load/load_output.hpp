#pragma once
// What headgate load prints.

#include "headgate/load/load_run.hpp"

#include <string>

namespace headgate::cli {

/// The first line: what is about to happen.
std::string load_intention(const load::LoadOptions& options);
/// The heads of the lines of seconds, and one of them.
std::string load_second_heads();
std::string load_second_line(const load::LoadSecond& second);
/// The table of a run, and what limited it.
std::string load_text(const load::LoadOptions& options, const load::LoadReport& report, bool colours,
                      std::size_t width);
/// The same as JSON.
std::string load_json(const load::LoadOptions& options, const load::LoadReport& report);

/// What kept requests from being sent at their moment.
enum class LimitedBy : std::uint8_t { nothing, connections, processor };
LimitedBy limited_by(const load::LoadReport& report) noexcept;

}  // namespace headgate::cli
