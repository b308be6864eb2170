#pragma once
// The command `headgate usage-report`.

namespace CLI {
class App;
}

namespace headgate::cli {

/// Adds the command. Its exit code goes to `result`, which must outlive the parsing.
void offer_usage_report(CLI::App& app, int& result);

}  // namespace headgate::cli
