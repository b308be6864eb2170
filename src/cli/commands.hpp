#pragma once
// The commands: each takes its options and returns an exit code. Results go to stdout, errors to stderr.

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
  bool watch = false;  ///< whether to reload when the file changes
};
int run(const RunOptions& options);

struct ProxyOptions {
  std::string to;
  std::string limit;
  std::string per = "client_ip";
  std::string listen = ":8080";
  std::string admin;  ///< an address or "off"; empty: 127.0.0.1:9900, or a free port if that is taken
};
int proxy(const ProxyOptions& options);

struct EchoOptions {
  std::string listen = ":3000";
  std::string delay;  ///< a duration; empty: none
  unsigned status = 200;
  std::uint64_t bytes = 0;  ///< size of the body; 0: a description of the request
  unsigned workers = 1;
  std::string fails;  ///< "8s/45s": for 8 s of each 45 s all answers are 503; empty: never
};
int echo(const EchoOptions& options);

struct CheckOptions {
  std::string file;
  std::string format = "text";
  bool strict = false;
};
int check(const CheckOptions& options);

struct FmtOptions {
  std::vector<std::string> files;  ///< "-": stdin; none: the configuration that `run` would read
  bool write = false;              ///< whether files are replaced
  bool check = false;              ///< whether it is only said which would be
};
/// Lays out files of JSON with comments; with neither `write` nor `check` on stdout.
int fmt(const FmtOptions& options);

/// Of the configuration, or of files of policy tests.
int schema(bool of_tests);
int version(bool json);
std::string version_text();  ///< "headgate 1.2.3"

struct InitOptions {
  std::string folder = ".";
  bool tls = false;
  std::vector<std::string> names;  ///< further names of the certificate
  unsigned days = 90;              ///< until it expires

  // Answers; one of them, or a kind, makes a commented file with its policy test.
  std::string kind;                  ///< "minimal", "saas", "cluster"; empty: minimal
  std::vector<std::string> servers;  ///< URLs; none: those of the kind, as with what follows
  std::string callers;               ///< "anyone", "keys", "tokens"
  std::string rate;
  unsigned gateways = 0;
};
/// Writes a configuration to begin with; with `tls` also a certificate and its key. On a terminal it asks for what it
/// needs to know, unless there are answers. Overwrites nothing.
int init(const InitOptions& options);

struct HealthcheckOptions {
  std::string url;  ///< empty: /healthz of the admin interface at $HEADGATE_ADMIN, else at its usual address
};
int healthcheck(const HealthcheckOptions& options);

struct KeysNewOptions {
  std::string owner;    ///< empty: the user fills it in when pasting the record; not with a file
  std::string tier;     ///< empty: none
  std::string expires;  ///< a date or a moment of RFC 3339; empty: never
  std::string prefix = "hg";
  std::string file;  ///< a key file to add it to; empty: only printed
};
/// Prints the key. Then prints the record for a key file, unless it was added to one.
int keys_new(const KeysNewOptions& options);
int keys_hash();  ///< of the key on stdin

struct KeysCheckOptions {
  std::string file;
  std::string key;  ///< "-": prints the owner of the key on stdin, fails if it is not valid; empty: counts the keys
};
int keys_check(const KeysCheckOptions& options);

// Each adds its commands to `app`. The one that is chosen sets `result`, which outlives the parsing, to its exit code.
void offer_admin_commands(CLI::App& app, int& result);
void offer_candidate(CLI::App& app, int& result);   ///< also `diff` and `promote`
void offer_key_calls(CLI::App& keys, int& result);  ///< below `keys`
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
void offer_simulate(CLI::App& app, int& result);
void offer_load(CLI::App& app, int& result);
/// `completion`: words for the shell, from the table of commands itself.
void offer_completion(CLI::App& app);
/// `man`: manual pages, from the same table.
void offer_manual(CLI::App& app, int& result);

}  // namespace headgate::cli
