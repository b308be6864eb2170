#pragma once
// The output of headgate load.

#include "headgate/load/load_run.hpp"

#include <string>

namespace headgate::cli {

/// Returns the first line, which announces the run.
std::string load_intention(const load::LoadOptions& options);
/// Returns the heading of the lines for each second; the next function returns one such line.
std::string load_second_heads();
std::string load_second_line(const load::LoadSecond& second);
/// Returns the table of a run, and what limited it.
std::string load_text(const load::LoadOptions& options, const load::LoadReport& report, bool colours,
                      std::size_t width);
/// Returns the content of load_text() as JSON.
std::string load_json(const load::LoadOptions& options, const load::LoadReport& report);

/// The reason why requests were not sent on time.
enum class LimitedBy : std::uint8_t { nothing, connections, processor };
LimitedBy limited_by(const load::LoadReport& report) noexcept;

}  // namespace headgate::cli
