#pragma once
// headgate completion: words for the shell, from the table of commands itself.

#include <string>

namespace CLI {
class App;
}

namespace headgate::cli {

/// The script that makes `shell` (bash, zsh or fish) complete the commands and options of `app`.
std::string completion(const CLI::App& app, const std::string& shell);

/// Adds the command to `app`.
void offer_completion(CLI::App& app);

}  // namespace headgate::cli
