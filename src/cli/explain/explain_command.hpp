#pragma once
// headgate explain and headgate routes.

namespace CLI {
class App;
}

namespace headgate::cli {

/// Adds them to `app`. The one that is chosen sets `result` to its exit code.
void offer_explain(CLI::App& app, int& result);

}  // namespace headgate::cli
