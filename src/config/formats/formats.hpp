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
  std::string base;  ///< path in front of each request's path, such as "/base"; empty if there is none
};
/// Parses "http://host[:port]" or "https://host[:port]". A path may follow, which is put in front of each request's
/// path. The URL must not have a user.
Result<ServerUrl, LiteralError> parse_server(std::string_view text);

struct RedisUrl {
  redis::RedisNode node;
  bool tls = false;
  std::optional<std::uint32_t> database;
  std::string username;
  std::string password;
};
/// Parses "redis://[user[:password]@]host[:port][/database]" or "rediss://...". Decodes the percent escapes of user and
/// password. Errors never quote the URL, because it may contain a password.
Result<RedisUrl, LiteralError> parse_redis_url(std::string_view text);

/// Parses the "host[:port]" of a Redis node; an IPv6 address is written as "[v6]:port".
Result<redis::RedisNode, LiteralError> parse_redis_node(std::string_view text);
/// Parses the address of a Sentinel in the same form; its default port is 26379.
Result<redis::RedisNode, LiteralError> parse_sentinel_node(std::string_view text);

struct Scale {
  std::uint32_t up = 1;
  std::uint32_t down = 1;
};
/// Parses a scale such as "1/10" or "2/1": two different numbers from 1 to 1000.
Result<Scale, LiteralError> parse_scale(std::string_view text);

/// Parses a share such as "20%", above 0% and below 100%, and returns it in parts of shed::ConcurrencyOptions::kWhole.
Result<std::uint32_t, LiteralError> parse_share(std::string_view text);
/// Parses a part such as "10%", above 0% and at most 100%, and returns it in parts of gateway::kWholeShare.
Result<std::uint32_t, LiteralError> parse_part(std::string_view text);
/// Parses a part such as "0.1%", from 0% to 100% with at most four decimals, and returns it in millionths.
Result<std::uint32_t, LiteralError> parse_sample(std::string_view text);
/// Parses "header:<name>", and returns the name in lower case.
Result<std::string, LiteralError> parse_priority_from(std::string_view text);

/// Parses a range such as "200-299": two statuses from 100 to 599.
Result<upstream::StatusRange, LiteralError> parse_status_range(std::string_view text);

/// Parses 64 hexadecimal digits.
Result<identity::Sha256, LiteralError> parse_digest(std::string_view text);

/// Parses the key of a limit, such as "client_ip", "jwt.<claim>" or "header:<name>".
Result<limit::Per, LiteralError> parse_per(std::string_view text);

// The checks of the configuration table. Each returns why `text` is not valid, or an empty value.
std::optional<LiteralError> check_listen(std::string_view text);
std::optional<LiteralError> check_server(std::string_view text);
std::optional<LiteralError> check_redis_url(std::string_view text);
std::optional<LiteralError> check_redis_node(std::string_view text);
std::optional<LiteralError> check_sentinel_node(std::string_view text);
std::optional<LiteralError> check_digest(std::string_view text);
std::optional<LiteralError> check_webhook_url(std::string_view text);
std::optional<LiteralError> check_otlp_url(std::string_view text);
/// Checks the value of a header field. Errors never quote it.
std::optional<LiteralError> check_otlp_header(std::string_view text);
std::optional<LiteralError> check_webhook_secret(std::string_view text);
/// Checks the server name that a certificate must be valid for.
std::optional<LiteralError> check_server_name(std::string_view text);
std::optional<LiteralError> check_max_age(std::string_view text);  ///< max-age of Strict-Transport-Security
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
/// Checks a source of a limit's size, such as "jwt.rpm": a source of tiers that has a name.
std::optional<LiteralError> check_size_from(std::string_view text);
std::optional<LiteralError> check_per(std::string_view text);
std::optional<LiteralError> check_if_absent(std::string_view text);
std::optional<LiteralError> check_network(std::string_view text);
std::optional<LiteralError> check_not_empty(std::string_view text);
std::optional<LiteralError> check_name(std::string_view text);  ///< name of a limit or an upstream
std::optional<LiteralError> check_route_name(std::string_view text);
std::optional<LiteralError> check_instance(std::string_view text);  ///< a token of HTTP, because it is part of Via
std::optional<LiteralError> check_key_prefix(std::string_view text);
std::optional<LiteralError> check_path(std::string_view text);
/// Checks a path that has neither parameters nor "*".
std::optional<LiteralError> check_usage_path(std::string_view text);
std::optional<LiteralError> check_host(std::string_view text);
std::optional<LiteralError> check_method(std::string_view text);
std::optional<LiteralError> check_field_name(std::string_view text);
std::optional<LiteralError> check_condition_field(std::string_view text);  ///< field in a condition of a route
/// Checks the name of a parameter in a condition of a route.
std::optional<LiteralError> check_condition_parameter(std::string_view text);
/// value of a parameter in a condition of a route
std::optional<LiteralError> check_condition_value(std::string_view text);
std::optional<LiteralError> check_proxy_field(std::string_view text);  ///< name of a field, or "X-Forwarded-*"
std::optional<LiteralError> check_field_value(std::string_view text);
std::optional<LiteralError> check_problem_status(std::string_view text);  ///< "404", "5xx" or "any"
std::optional<LiteralError> check_home(std::string_view text);            ///< path, URL or empty text
std::optional<LiteralError> check_log_target(std::string_view text);
std::optional<LiteralError> check_logged_field(std::string_view text);  ///< name of a field that may be logged
std::optional<LiteralError> check_log_field(std::string_view text);
std::optional<LiteralError> check_log_caller(std::string_view text);  ///< "owner", "basic.user" or "jwt.<claim>"
std::optional<LiteralError> check_file_path(std::string_view text);
std::optional<LiteralError> check_include(std::string_view text);
/// Checks an entry of "accept_advice": a word, optionally followed by a place in the file.
std::optional<LiteralError> check_advice_entry(std::string_view text);
std::optional<LiteralError> check_jwk_set(std::string_view text);  ///< path of a file, or URL
std::optional<LiteralError> check_claim(std::string_view text);
std::optional<LiteralError> check_scope(std::string_view text);   ///< one scope of OAuth 2.0
std::optional<LiteralError> check_origin(std::string_view text);  ///< an origin, "*", "null" or "https://*.example.com"
std::optional<LiteralError> check_parameter_name(std::string_view text);
std::optional<LiteralError> check_cookie_name(std::string_view text);
std::optional<LiteralError> check_pointer(std::string_view text);  ///< a JSON pointer (RFC 6901) to one value

/// Returns whether a log's target is a file rather than a word such as "stdout".
bool names_log_file(std::string_view target) noexcept;

/// Returns whether the JWK Set is fetched from a URL rather than read from a file.
bool is_url(std::string_view jwk_set) noexcept;

/// Splits an error of another module at "; ". The text before it becomes the message, and the text after it the help.
LiteralError fault_and_help(std::string_view sentence);

/// Returns the names of all algorithms.
std::vector<std::string_view> algorithm_names();

/// Returns the names of all balancing policies.
std::vector<std::string_view> policy_names();

/// Returns the keys that a limit can count by, as a user writes them, with names in angle brackets: "client_ip",
/// "jwt.<claim>".
std::vector<std::string_view> per_words();
/// Returns the sources that can name a caller's tier, in the same form.
std::vector<std::string_view> tier_words();
std::vector<std::string_view> size_words();  ///< sources of the size of a limit

}  // namespace headgate::config
