#pragma once
// `headgate traffic`: what each route has to do, live.

namespace CLI {
class App;
}

namespace headgate::cli {

/// Adds the command to `app`. If it is chosen, it sets `result` to its exit code.
void offer_traffic(CLI::App& app, int& result);

}  // namespace headgate::cli
