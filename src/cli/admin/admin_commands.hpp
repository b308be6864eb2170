#pragma once
// The commands that talk to a running gateway.

namespace CLI {
class App;
}

namespace headgate::cli {

/// Adds them to `app`. The one that is chosen sets `result` to its exit code.
void offer_admin_commands(CLI::App& app, int& result);

}  // namespace headgate::cli
