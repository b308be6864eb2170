#pragma once
// The option --group of the commands that make API keys.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace headgate::cli {

/// Adds --group NAME=VALUE, which may be repeated, to `command`. A wrong group is an error of the command line.
void offer_groups(CLI::App& command, std::vector<std::string>& groups);

/// Returns the name and the value of a group that was written as NAME=VALUE.
std::pair<std::string_view, std::string_view> group_in(std::string_view written) noexcept;

}  // namespace headgate::cli
