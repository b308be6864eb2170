// Builds the options of the logs from the keys of the file.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/once.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "written_file.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/logged_fields.hpp"
#include "headgate/identity/sha256.hpp"
#include "headgate/observe/access_fields.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace headgate::config {
namespace {

constexpr WordsUpTo<observe::LogLevel::off> kLogLevels({"debug", "info", "warning", "error", "off"});
constexpr Shape kLevel = choice(kLogLevels);
constexpr WordsUpTo<observe::LogFormat::ecs> kLogFormats({"text", "json", "combined", "ecs"});
constexpr Shape kFormat = choice(kLogFormats);
constexpr Shape kTarget = path("\"stdout\", \"stderr\", \"off\", \"syslog\", \"journald\" or a file's path",
                               check_log_target, names_log_file);
constexpr Shape kLogField = text("a field's name", check_log_field);
constexpr Shape kLogFields = list("a list of fields", kLogField, 1, 64);
constexpr Shape kKeepOk = text("a share", check_sample);
constexpr Shape kLogSecret = text("text", check_not_empty);
/// Refuses keys that are usually named like the field with the credential.
std::optional<LiteralError> check_shown_key(std::string_view key) {
  if (key.empty()) return LiteralError{"a descriptor's key is not empty", "write a key, as in \"generic_key\""};
  const auto why = gateway::why_not_logged(key);
  if (why.empty()) return std::nullopt;
  return LiteralError{"the values of " + in_quotes(key) + " are never logged: " + std::string(why),
                      "leave it out: its values appear as ids"};
}

constexpr Shape kLogCaller = text("owner, basic.user or jwt.<claim>", check_log_caller);
constexpr Shape kLogCallers = list("a list of owner, group:<name>, basic.user and jwt.<claim>", kLogCaller, 0, 8);
constexpr Shape kLoggedField = text("a field name", check_logged_field);
constexpr Shape kLoggedFields = list("a list of field names", kLoggedField, 0, gateway::LoggedFields::kMaxFields);
constexpr Shape kMaskedName = text("a parameter's name", check_parameter_name);
constexpr Shape kMaskedNames = list("a list of parameters' names", kMaskedName, 1, 256);
constexpr Key kQueryKeys[] = {
    {"mask", &kMaskedNames, "", R"(["email", "card"])",
     "Parameters whose values are hidden, in addition to usual names of credentials and those that `identity` reads",
     required},
};
constexpr Section kQuery{"logged_query", "log.query", "The query in access log lines: `true`, or what to hide.",
                         kQueryKeys};
constexpr Shape kQueryObject = section(kQuery);
constexpr const Shape* kQueryForms[] = {&kBoolean, &kQueryObject};
constexpr Shape kQueryShape = either("true, false or an object", kQueryForms);
constexpr Shape kShownKey = text("a descriptor's key", check_shown_key);
constexpr Shape kShownKeys = list("a list of descriptor keys", kShownKey, 1, 64);
constexpr const Shape* kLoggedCallForms[] = {&kBoolean, &kShownKeys};
constexpr Shape kLoggedCalls = either("true, false or a list of descriptor keys", kLoggedCallForms);
constexpr std::string_view kLogLater[] = {"sample", "rotate"};
constexpr Key kLogKeys[] = {
    {"level", &kLevel, kOfOptions, R"("info")", "Minimum severity in the error log", into<&observe::LogOptions::level>},
    {"format", &kFormat, kOfOptions, R"("json")",
     "`text` for people, `json` for machines, `combined` for tools that read nginx logs, `ecs` for Elasticsearch "
     "(Elastic Common Schema)",
     into<&observe::LogOptions::format>},
    {"fields", &kLogFields, "", R"(["ts", "request_id", "client_ip", "status", "ms", "limit"])",
     "Fields of a `json` access log line; [logs.md](logs.md) lists them. Default: all"},
    {"keep_ok", &kKeepOk, "100%", R"("1%")",
     "Share of requests with a status below 400 that are logged. Others are always logged, except as `refusals_every` "
     "says",
     read_into<&parse_sample, &observe::LogOptions::keep_ok>},
    {"refusals_every", &kDuration, "", R"("1s")",
     "Minimum time between lines for refusals of the same key; `dropped` in the next line counts those left out. "
     "Default: every refusal is logged",
     into<&observe::LogOptions::refusals_every>},
    {"access", &kTarget, kOfOptions, R"("stdout")",
     "Access log: `stdout`, `stderr`, `off`, a file, `journald`, `syslog` (`/dev/log`), `syslog:/path/of/socket` or "
     "`syslog:HOST:PORT` (UDP)",
     into<&observe::LogOptions::access>},
    {"error", &kTarget, kOfOptions, R"("stderr")", "Error log, with the same choices",
     into<&observe::LogOptions::error>},
    {"secret", &kLogSecret, "", R"("${HEADGATE_LOG_SECRET}")",
     "Secret for `key_id`: gateways with the same secret log the same id for a caller. Default: random at each start"},
    {"callers", &kLogCallers, "[]", R"(["owner", "jwt.sub"])",
     "Caller data logged in clear text: `owner` and `group:<name>` of a known API key, `basic.user`, `jwt.<claim>` of "
     "a "
     "verified token"},
    {"request_headers", &kLoggedFields, "[]", R"(["Referer", "X-Tenant"])",
     "Request fields to log, as `header.x-tenant`; never cookies or other credentials"},
    {"response_headers", &kLoggedFields, "[]", R"(["X-Cache"])",
     "Answer fields to log, as `response_header.x-cache`; never cookies"},
    {"query", &kQueryShape, "false", R"({ "mask": ["email"] })",
     "Whether the query is logged. Parameters named like credentials, and those in `mask`, appear as `***`"},
    {"descriptors", &kLoggedCalls, "false", R"(["generic_key", "path"])",
     "Whether calls of the rate limit service are logged, as `descriptors`. Only values of the keys in a list appear "
     "as "
     "they are; all others appear as ids"},
};
constexpr Section kLog{"log", "log", "Access log and error log.", kLogKeys, kLogLater};

/// Returns why `headgate run` could not create a file in this directory; "" if it can. `run` also creates missing
/// directories.
std::string why_no_file_in(std::filesystem::path directory) {
  std::error_code ignored;
  const auto wanted = directory;
  while (!std::filesystem::exists(directory, ignored) && directory.has_parent_path() &&
         directory != directory.parent_path())
    directory = directory.parent_path();
  const bool missing = directory != wanted;
  std::string why;
  if (!std::filesystem::is_directory(directory, ignored))
    why = in_quotes(directory.string()) + " is not a directory";
  else if (access(directory.c_str(), W_OK) != 0)
    why = missing ? "there is no directory " + in_quotes(wanted.string()) + ", and it cannot be made in " +
                        in_quotes(directory.string())
                  : std::generic_category().message(errno);
  return why;
}

Unwritable why_no_log(const std::filesystem::path& file, const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {.why = why_no_file_in(directory)};
  if (access(file.c_str(), W_OK) != 0) return {.why = std::generic_category().message(errno)};
  return {};
}

void check_log_file(Build& build, const Node& target) {
  if (names_log_file(target.text)) check_written_file(build, target, "the log", "headgate.log", why_no_log);
}

/// Builds the secret for `key_id`, and the fields that show callers in clear text.
void build_log_identity(Build& build, const Node* log) {
  constexpr std::size_t kShort = 16;  // bytes; a guessed secret reveals the caller behind each `key_id`
  auto& out = build.config.log;
  if (const Node* callers = find(log, "callers"); callers != nullptr && callers->kind == Kind::list)
    for (const Node* each : callers->children)
      if (std::find(out.callers.begin(), out.callers.end(), each->text) == out.callers.end())
        out.callers.push_back(each->text);
  const Node* secret = text_at(log, "secret");
  if (secret == nullptr || secret->text.empty()) return;
  if (secret->text.size() < kShort)
    build.report.warning(code::kGuessable, *secret,
                         "a secret of " + std::to_string(secret->text.size()) + " bytes can be guessed",
                         "make one of 16 or more: openssl rand -hex 24");
  const auto digest = identity::sha256(secret->text);
  auto& key = out.key.emplace();
  std::memcpy(&key.low, digest.data(), sizeof key.low);
  std::memcpy(&key.high, digest.data() + sizeof key.low, sizeof key.high);
}

/// Returns whether the lines of the access log have fields that the format `text` leaves out.
bool has_all_fields(const observe::LogOptions& options) noexcept {
  return options.format == observe::LogFormat::json || options.format == observe::LogFormat::ecs ||
         options.access == "journald" || options.access.starts_with("journald:");
}

void build_fields(Build& build, const Node& written) {
  auto& out = build.config.log;
  out.fields = 0;
  for (const Node* each : texts(&written)) {
    const auto field = observe::access_field(each->text);
    if (!field) continue;  // reported already
    const auto bit = observe::AccessFieldSet{1} << *field;
    if ((out.fields & bit) != 0)
      build.report.error(code::kDuplicate, *each, in_quotes(each->text) + " appears twice in this list",
                         "remove one of the two");
    out.fields |= bit;
  }
  if (out.format != observe::LogFormat::json && out.access != "journald" && !out.access.starts_with("journald:"))
    build.report.error_at_key(code::kConflict, written, "only the format \"json\" has fields to choose",
                              R"(write "format": "json", or leave "fields" out)");
}

}  // namespace

constexpr Shape kLogShape = section(kLog);

namespace {

using gateway::LoggedFields;

std::vector<LoggedFields::Field> logged_fields(Build& build, const Node* log, std::string_view key,
                                               std::string_view beginning) {
  std::vector<LoggedFields::Field> out;
  std::vector<std::string> met;
  const Node* list = find(log, key);
  if (list == nullptr || list->kind != Kind::list) return out;
  for (const Node* each : texts(list)) {
    auto name = lower(each->text);
    if (add_once(build.report, *each, name, met)) out.push_back({name, std::string(beginning) + name});
  }
  if (!out.empty() && build.config.log.format == observe::LogFormat::combined)
    build.report.error_at_key(code::kConflict, *list, "the format \"combined\" has no place for fields",
                              R"(write "format": "json", or leave it out)");
  return out;
}

/// Keeps credentials out of the log that this configuration reads from fields and parameters of its own choice: refuses
/// such fields, and masks such parameters.
void keep_credentials_out(Build& build, const Node* log, LoggedFields& out) {
  const auto& identity = build.config.identity;
  std::vector<std::string> fields = identity.api_key.headers;
  if (identity.jwt) fields.push_back(identity.jwt->header);
  for (const Node* each : texts(find(log, "request_headers"))) {
    const auto reads = [&](const std::string& name) { return http::same_variable(name, each->text); };
    if (std::any_of(fields.begin(), fields.end(), reads) && gateway::why_not_logged(each->text).empty())
      build.report.error(code::kConflict, *each,
                         in_quotes(each->text) + " is never logged: \"identity\" reads a credential from it",
                         "leave it out: \"callers\" logs its owner");
  }
  for (const auto& name : {identity.api_key.query, identity.jwt ? identity.jwt->query : std::string()})
    if (!name.empty()) out.masked.push_back(lower(name));
}

}  // namespace

void build_logged(Build& build) {
  const Node* log = find(&build.root, "log");
  LoggedFields out;
  out.of_request = logged_fields(build, log, "request_headers", "header.");
  out.of_answer = logged_fields(build, log, "response_headers", "response_header.");
  out.masked = gateway::usual_secrets();
  keep_credentials_out(build, log, out);
  if (const Node* query = find(log, "query")) {
    out.query = query->kind == Kind::object || query->text == "true";
    for (const Node* each : texts(find(query, "mask"))) out.masked.push_back(lower(each->text));
  }
  std::sort(out.masked.begin(), out.masked.end());
  if (const Node* calls = find(log, "descriptors")) {
    out.calls = calls->kind == Kind::list || calls->text == "true";
    if (calls->kind == Kind::list)
      for (const Node* each : texts(calls)) out.shown_keys.push_back(each->text);
    std::sort(out.shown_keys.begin(), out.shown_keys.end());
    if (out.calls && !has_all_fields(build.config.log))
      build.report.error_at_key(code::kConflict, *calls, "only the formats \"json\" and \"ecs\" have descriptors",
                                R"(write "format": "json", or leave "descriptors" out)");
  }
  if (!out.of_request.empty() || !out.of_answer.empty() || out.query || out.calls)
    build.config.gateway.logged = std::make_shared<const LoggedFields>(std::move(out));
}

void build_log(Build& build) {
  const Node* log = find(&build.root, "log");
  for (const auto& [key, place] :
       {std::pair("access", &build.config.places.access_log), std::pair("error", &build.config.places.error_log)}) {
    const Node* target = text_at(log, key);
    if (target == nullptr) continue;
    *place = place_of(build, *target);
    check_log_file(build, *target);
  }
  build_log_identity(build, log);
  if (const Node* fields = find(log, "fields"); fields != nullptr && fields->kind == Kind::list)
    build_fields(build, *fields);
}

}  // namespace headgate::config
