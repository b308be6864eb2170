#pragma once
// `headgate top`: who is limited, live.

namespace CLI {
class App;
}

namespace headgate::cli {

/// Adds the command to `app`. If it is chosen, it sets `result` to its exit code.
void offer_top(CLI::App& app, int& result);

}  // namespace headgate::cli
