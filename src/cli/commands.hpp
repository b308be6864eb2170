#pragma once
// The commands. Each takes its options and returns an exit code. Results go to stdout, errors to stderr.

#include "headgate/core/time.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headgate::cli {

inline constexpr int kWell = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongCommandLine = 2;
inline constexpr int kBadConfiguration = 3;
inline constexpr int kUnreachable = 4;  ///< the running gateway could not be reached
inline constexpr int kDoesNotHold = 5;  ///< an assertion or a policy test does not hold

struct RunOptions {
  std::string file;
  bool watch = false;  ///< reload when the file changes
};
int run(const RunOptions& options);

struct ProxyOptions {
  std::string to;
  std::string limit;
  std::string per = "client_ip";
  std::string listen = ":8080";
  std::string admin;  ///< an address or "off"; if empty, 127.0.0.1:9900, or a free port if that one is taken
};
int proxy(const ProxyOptions& options);

struct EchoOptions {
  std::string listen = ":3000";
  std::string delay;  ///< a duration; empty for none
  unsigned status = 200;
  std::uint64_t bytes = 0;  ///< size of the body in bytes; 0 for a description of the request
  unsigned workers = 1;
  std::string fails;  ///< "8s/45s" to answer with 503 for 8 s of each 45 s; empty for never
};
int echo(const EchoOptions& options);

struct CheckOptions {
  std::string file;
  std::string format = "text";
  bool strict = false;
};
int check(const CheckOptions& options);

struct FmtOptions {
  std::vector<std::string> files;  ///< "-" for stdin; by default the configuration that `run` would read
  bool write = false;              ///< replaces the files
  bool check = false;              ///< only reports which files would be replaced
};
/// Formats files of JSON with comments; prints to stdout unless `write` or `check` is set.
int fmt(const FmtOptions& options);

/// Prints the JSON schema of the configuration, or of files of policy tests.
int schema(bool of_tests);
int version(bool json);
std::string version_text();  ///< Returns "headgate 1.2.3".

struct InitOptions {
  std::string folder = ".";
  bool tls = false;
  std::vector<std::string> names;  ///< further names of the certificate
  unsigned days = 90;              ///< days until the certificate expires

  // The answers. If an answer or a kind is given, init() writes a commented file with its policy test.
  std::string kind;  ///< "minimal", "saas", "cluster"; empty for minimal
  /// URLs; if empty, those of the kind. The kind also has the default of each member below.
  std::vector<std::string> servers;
  std::string callers;  ///< "anyone", "keys", "tokens"
  std::string rate;
  unsigned gateways = 0;
};
/// Writes an initial configuration; with `tls` also a certificate and its key. On a terminal it asks for the answers
/// unless some are given. Overwrites nothing.
int init(const InitOptions& options);

struct HealthcheckOptions {
  std::string url;  ///< if empty, /healthz of the admin interface at usual_admin()
};
int healthcheck(const HealthcheckOptions& options);

struct KeysNewOptions {
  std::string owner;                ///< if empty, the user fills it in when pasting the record; required with a file
  std::string tier;                 ///< empty for none
  std::vector<std::string> groups;  ///< each as NAME=VALUE
  std::string expires;              ///< a date or a moment of RFC 3339; empty for never
  std::string prefix = "hg";
  std::string file;  ///< key file that the key is added to; empty to print the record only
};
/// Prints the key. Then prints the record for a key file, unless it was added to one.
int keys_new(const KeysNewOptions& options);
int keys_hash();  ///< reads the key from stdin

struct KeysCheckOptions {
  std::string file;
  /// "-" to print the owner of the key on stdin, and to fail if the key is not valid; empty to count the keys
  std::string key;
};
int keys_check(const KeysCheckOptions& options);

// Each of these functions adds its commands to `app`. The command that runs writes its exit code to `result`, which
// must outlive the parsing.
void offer_admin_commands(CLI::App& app, int& result);
void offer_balance(CLI::App& app, int& result);
void offer_candidate(CLI::App& app, int& result);   ///< also `diff` and `promote`
void offer_key_calls(CLI::App& keys, int& result);  ///< under `keys`
void offer_connections(CLI::App& app, int& result);
void offer_refused(CLI::App& app, int& result);
void offer_top(CLI::App& app, int& result);
void offer_events(CLI::App& app, int& result);
void offer_traffic(CLI::App& app, int& result);
void offer_usage_report(CLI::App& app, int& result);
void offer_usage_history(CLI::App& app, int& result);
void offer_explain(CLI::App& app, int& result);  ///< also `routes`
void offer_test(CLI::App& app, int& result);
void offer_import(CLI::App& app, int& result);
void offer_prices(CLI::App& app, int& result);
void offer_simulate(CLI::App& app, int& result);
void offer_load(CLI::App& app, int& result);
/// Adds `completion`: shell completions, made from the table of commands.
void offer_completion(CLI::App& app);
/// Adds `man`: manual pages, made from the same table.
void offer_manual(CLI::App& app, int& result);

}  // namespace headgate::cli
