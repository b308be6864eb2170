#pragma once
// One call from a command to the admin interface of a running gateway.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace CLI {
class App;
}

namespace headgate::cli {

/// Which gateway a command talks to, and how it prints the answer.
/// $HEADGATE_ADMIN, else http://127.0.0.1:9900.
std::string usual_admin();

struct AdminOptions {
  std::string url;                    ///< empty: $HEADGATE_ADMIN, else http://127.0.0.1:9900
  std::string token_file;             ///< empty: the token is $HEADGATE_ADMIN_TOKEN, if that is set
  bool json = false;                  ///< prints the answer as it came
  const CLI::App* command = nullptr;  ///< set by offer_admin()

  /// These, and where they say nothing, those of the commands above: `headgate servers --admin URL drain` means the
  /// same gateway as `headgate servers drain --admin URL`. After the parsing.
  AdminOptions whole() const;
};

/// Adds --admin, --token-file and --json. `options` must outlive the parsing.
void offer_admin(CLI::App& command, AdminOptions& options);

struct AdminRequest {
  std::string method = "GET";
  std::string target;  ///< path and query, as in "/api/v1/status"; see in_path()
  std::string body{};  ///< JSON; empty: none
  Duration patience = std::chrono::seconds(10);
};

/// The answer of a call that succeeded.
struct AdminReply {
  std::string text;             ///< as it came
  nlohmann::ordered_json json;  ///< null if it is not JSON
};

/// Why a command cannot go on.
struct CommandFailure {
  int code = 0;         ///< the exit code
  std::string message;  ///< a sentence without its dot
  std::string help{};   ///< what to do; may be empty
  std::string text{};   ///< the gateway's whole answer, if there is one
};
/// Prints it to stderr and returns the exit code.
int complain(const CommandFailure& failure);

/// Sends the request and waits for the whole answer, of at most 64 MiB. An error: kUnreachable if nobody answers there,
/// kWrongCommandLine for a wrong URL or token file, kFailed for everything that the gateway refuses.
Result<AdminReply, CommandFailure> call_gateway(const AdminOptions& options, const AdminRequest& request);

/// A text as one segment of a path, or as a value of a query: whatever is no letter, digit or one of "-._~" is escaped,
/// and so are the dots of "." and "..", which many programs would resolve.
std::string in_path(std::string_view text);

}  // namespace headgate::cli
