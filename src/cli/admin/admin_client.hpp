#pragma once
// Makes a single call from a command to the admin interface of a running gateway.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace CLI {
class App;
}

namespace headgate::cli {

/// Returns the URL of the gateway if no option names one: $HEADGATE_ADMIN if it is set, otherwise
/// http://127.0.0.1:9900.
std::string usual_admin();

struct AdminOptions {
  std::string url;         ///< empty for usual_admin()
  std::string token_file;  ///< file with the token; if empty, the token is in $HEADGATE_ADMIN_TOKEN, or none is sent
  bool json = false;       ///< whether the answer is printed unchanged
  const CLI::App* command = nullptr;  ///< set by offer_admin()

  /// Returns these options. Those that were not given are taken from the parent commands: `headgate servers --admin URL
  /// drain` addresses the same gateway as `headgate servers drain --admin URL`. Must be called after the parsing.
  AdminOptions whole() const;
};

/// Adds --admin, --token-file and --json. `options` must outlive the parsing.
void offer_admin(CLI::App& command, AdminOptions& options);

struct AdminRequest {
  std::string method = "GET";
  std::string target;  ///< path and query, such as "/api/v1/status"; see in_path()
  std::string body{};  ///< JSON; empty if there is none
  Duration patience = std::chrono::seconds(10);
};

/// The answer of a successful call.
struct AdminReply {
  std::string text;             ///< unchanged
  nlohmann::ordered_json json;  ///< null if it is not JSON
};

/// The reason why a command cannot continue.
struct CommandFailure {
  int code = 0;         ///< the exit code
  std::string message;  ///< a sentence without a full stop
  std::string help{};   ///< what to do; may be empty
  std::string text{};   ///< the gateway's complete answer, if there is one
};
/// Prints the failure to stderr and returns the exit code.
int complain(const CommandFailure& failure);

/// Sends the request and waits for the complete answer, of at most 64 MiB. Errors: kUnreachable if nothing answers,
/// kWrongCommandLine for a wrong URL or token file, kFailed if the gateway refuses.
Result<AdminReply, CommandFailure> call_gateway(const AdminOptions& options, const AdminRequest& request);

/// Returns a text as one segment of a path, or as a value of a query. Escapes all characters except letters, digits and
/// "-._~". Also escapes the dots of "." and "..", because many programs would resolve them.
std::string in_path(std::string_view text);

}  // namespace headgate::cli
