#pragma once
// Parses and checks the texts of a configuration: addresses, URLs, names, paths. All modules of config use these
// functions.

#include "headgate/config/listen.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/net/options.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/upstream/health_options.hpp"
#include "headgate/upstream/options.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

struct ServerUrl {
  upstream::ServerOptions server;
  bool tls = false;
  std::string base;  ///< "/base"; empty: none
};
/// "http://host[:port]" or "https://host[:port]", and a path that stands before that of each request; no user.
Result<ServerUrl, LiteralError> parse_server(std::string_view text);

struct RedisUrl {
  redis::RedisNode node;
  bool tls = false;
  std::optional<std::uint32_t> database;
  std::string username;
  std::string password;
};
/// "redis://[user[:password]@]host[:port][/database]" or "rediss://...", user and password percent-decoded. Errors
/// never quote it: it may hold a password.
Result<RedisUrl, LiteralError> parse_redis_url(std::string_view text);

/// "host[:port]" of a Redis node, "[v6]:port".
Result<redis::RedisNode, LiteralError> parse_redis_node(std::string_view text);
/// The same for a Sentinel; its default port is 26379.
Result<redis::RedisNode, LiteralError> parse_sentinel_node(std::string_view text);

struct Scale {
  std::uint32_t up = 1;
  std::uint32_t down = 1;
};
/// "1/10", "2/1": two different numbers from 1 to 1000.
Result<Scale, LiteralError> parse_scale(std::string_view text);

/// "20%": the share in parts of shed::ConcurrencyOptions::kWhole; above 0% and below 100%.
Result<std::uint32_t, LiteralError> parse_share(std::string_view text);
/// "10%": the part in parts of gateway::kWholeShare; above 0% and at most 100%.
Result<std::uint32_t, LiteralError> parse_part(std::string_view text);
/// "0.1%": the part in millionths; from 0% to 100%, with at most four decimals.
Result<std::uint32_t, LiteralError> parse_sample(std::string_view text);
/// "header:<name>": the name in lower case.
Result<std::string, LiteralError> parse_priority_from(std::string_view text);

/// "200-299": two statuses from 100 to 599.
Result<upstream::StatusRange, LiteralError> parse_status_range(std::string_view text);

/// 64 hexadecimal digits.
Result<identity::Sha256, LiteralError> parse_digest(std::string_view text);

/// "client_ip", "jwt.<claim>", "header:<name>" and so on.
Result<limit::Per, LiteralError> parse_per(std::string_view text);

// The checks of the table. Each says why `text` is not valid, or returns nothing.
std::optional<LiteralError> check_listen(std::string_view text);
std::optional<LiteralError> check_server(std::string_view text);
std::optional<LiteralError> check_redis_url(std::string_view text);
std::optional<LiteralError> check_redis_node(std::string_view text);
std::optional<LiteralError> check_sentinel_node(std::string_view text);
std::optional<LiteralError> check_digest(std::string_view text);
std::optional<LiteralError> check_webhook_url(std::string_view text);
std::optional<LiteralError> check_otlp_url(std::string_view text);
std::optional<LiteralError> check_otlp_header(std::string_view text);  ///< the value of a field; never quoted
std::optional<LiteralError> check_webhook_secret(std::string_view text);
std::optional<LiteralError> check_server_name(std::string_view text);  ///< that a certificate must be for
std::optional<LiteralError> check_max_age(std::string_view text);      ///< of Strict-Transport-Security
std::optional<LiteralError> check_tls_group(std::string_view text);
std::optional<LiteralError> check_ticket_secret(std::string_view text);
std::optional<LiteralError> check_status_range(std::string_view text);
std::optional<LiteralError> check_health_path(std::string_view text);
std::optional<LiteralError> check_health_host(std::string_view text);
std::optional<LiteralError> check_share(std::string_view text);
std::optional<LiteralError> check_part(std::string_view text);
std::optional<LiteralError> check_sample(std::string_view text);
std::optional<LiteralError> check_priority_from(std::string_view text);
std::optional<LiteralError> check_scale(std::string_view text);
std::optional<LiteralError> check_tier_from(std::string_view text);
std::optional<LiteralError> check_per(std::string_view text);
std::optional<LiteralError> check_if_absent(std::string_view text);
std::optional<LiteralError> check_network(std::string_view text);
std::optional<LiteralError> check_not_empty(std::string_view text);
std::optional<LiteralError> check_name(std::string_view text);  ///< of a limit or an upstream
std::optional<LiteralError> check_route_name(std::string_view text);
std::optional<LiteralError> check_instance(std::string_view text);  ///< a token, because it is part of Via
std::optional<LiteralError> check_key_prefix(std::string_view text);
std::optional<LiteralError> check_path(std::string_view text);
/// The same for one path: without parameters and "*".
std::optional<LiteralError> check_usage_path(std::string_view text);
std::optional<LiteralError> check_host(std::string_view text);
std::optional<LiteralError> check_method(std::string_view text);
std::optional<LiteralError> check_field_name(std::string_view text);
std::optional<LiteralError> check_condition_field(std::string_view text);      ///< that routes are chosen by
std::optional<LiteralError> check_condition_parameter(std::string_view text);  ///< that routes are chosen by
std::optional<LiteralError> check_condition_value(std::string_view text);      ///< of a parameter
std::optional<LiteralError> check_proxy_field(std::string_view text);          ///< a field's name, or "X-Forwarded-*"
std::optional<LiteralError> check_field_value(std::string_view text);
std::optional<LiteralError> check_problem_status(std::string_view text);  ///< "404", "5xx" or "any"
std::optional<LiteralError> check_home(std::string_view text);            ///< a path, a URL, or empty
std::optional<LiteralError> check_log_target(std::string_view text);
std::optional<LiteralError> check_logged_field(std::string_view text);  ///< a field's name that may be logged
std::optional<LiteralError> check_log_field(std::string_view text);
std::optional<LiteralError> check_log_caller(std::string_view text);  ///< "owner", "basic.user", "jwt.<claim>"
std::optional<LiteralError> check_file_path(std::string_view text);
std::optional<LiteralError> check_include(std::string_view text);
std::optional<LiteralError> check_advice_entry(std::string_view text);  ///< a word, and perhaps a place in the file
std::optional<LiteralError> check_jwk_set(std::string_view text);       ///< a file's path or a URL
std::optional<LiteralError> check_claim(std::string_view text);
std::optional<LiteralError> check_scope(std::string_view text);   ///< one scope of OAuth 2.0
std::optional<LiteralError> check_origin(std::string_view text);  ///< or "*", "null", "https://*.example.com"
std::optional<LiteralError> check_parameter_name(std::string_view text);
std::optional<LiteralError> check_cookie_name(std::string_view text);

/// Whether a log's target is a file and not a word such as "stdout".
bool names_log_file(std::string_view target) noexcept;

/// Whether the JWK Set is fetched from a URL and not read from a file.
bool is_url(std::string_view jwk_set) noexcept;

/// Splits an error of another module: the text before "; " is the message, the text after it is the help.
LiteralError fault_and_help(std::string_view sentence);

/// The names of all algorithms.
std::vector<std::string_view> algorithm_names();

/// The names of all balancing policies.
std::vector<std::string_view> policy_names();

/// What a limit can count by, as a user writes it, a name in angle brackets: "client_ip", "jwt.<claim>".
std::vector<std::string_view> per_words();
/// The same of what can name a caller's tier.
std::vector<std::string_view> tier_words();

}  // namespace headgate::config
