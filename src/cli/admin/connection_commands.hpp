#pragma once
// The commands `headgate connections` and `headgate refused`: who is connected, what is served now, what was malformed.

namespace CLI {
class App;
}

namespace headgate::cli {

/// Adds the commands. Their exit code goes to `result`, which must outlive the parsing.
void offer_connections(CLI::App& app, int& result);
void offer_refused(CLI::App& app, int& result);

}  // namespace headgate::cli
