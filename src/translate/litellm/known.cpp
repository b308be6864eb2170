// The table of LiteLLM's settings.

#include "translate/litellm/work.hpp"
#include "translate/words.hpp"

#include <array>

namespace headgate::translate {
namespace {

constexpr std::string_view kMayRefuse = "it may refuse requests: write what it protects";
constexpr std::string_view kNoFallback = "headgate does not send a call to another model: clients choose it";
constexpr std::string_view kNoDatabase = "keys in it are not imported: issue keys with \"headgate keys\"";
constexpr std::string_view kOwnCounters = "headgate counts in limits: write one in \"limits\"";
constexpr std::string_view kNoBodies = "headgate does not change bodies";
constexpr std::string_view kOnlyLogs = "it only changes logs and reports";
constexpr std::string_view kOfDatabase = "it only concerns LiteLLM's database and its pages";

constexpr std::array kWords{
    ImportWord{.name = "model_list", .becomes = "routes"}, ImportWord{.name = "model_name", .becomes = "path"},
    ImportWord{.name = "litellm_params", .becomes = "to"}, ImportWord{.name = "model", .becomes = "to"},
    ImportWord{.name = "api_base", .becomes = "upstreams"}, ImportWord{.name = "base_url", .becomes = "upstreams"},
    ImportWord{.name = "api_key", .becomes = "request_headers"},
    ImportWord{.name = "custom_llm_provider", .becomes = "to"}, ImportWord{.name = "rpm", .becomes = "rate"},
    ImportWord{.name = "tpm", .becomes = "rate, unit, cost, usage"},
    ImportWord{.name = "timeout", .becomes = "timeout"}, ImportWord{.name = "request_timeout", .becomes = "timeout"},
    ImportWord{.name = "master_key", .becomes = "api_key, require"},
    ImportWord{.name = "litellm_key_header_name", .becomes = "header"},
    ImportWord{.name = "allowed_ips", .becomes = "addresses"},
    ImportWord{.name = "max_request_size_mb", .becomes = "max_body"},
    ImportWord{.name = "global_max_parallel_requests", .becomes = "in_flight"},
    ImportWord{.name = "max_budget", .becomes = "prices, rate, unit, cost"},
    ImportWord{.name = "budget_duration", .becomes = "rate"}, ImportWord{.name = "redis_host", .becomes = "redis"},
    ImportWord{.name = "redis_port", .becomes = "redis"},
    // Settings that may refuse requests.
    ImportWord{"guardrails", Matter::closed, kMayRefuse}, ImportWord{"callbacks", Matter::closed, kMayRefuse},
    ImportWord{"custom_auth", Matter::closed, kMayRefuse},
    ImportWord{"enable_jwt_auth", Matter::closed, "write \"jwt\" in \"identity\", and require it"},
    ImportWord{"litellm_jwtauth", Matter::closed, "write \"jwt\" in \"identity\", and require it"},
    ImportWord{"enable_oauth2_auth", Matter::closed, kMayRefuse},
    ImportWord{"enable_oauth2_proxy_auth", Matter::closed, kMayRefuse},
    ImportWord{"enforce_user_param", Matter::closed, kMayRefuse},
    ImportWord{"enforced_params", Matter::closed, kMayRefuse}, ImportWord{"allowed_routes", Matter::closed, kMayRefuse},
    ImportWord{"admin_only_routes", Matter::closed, kMayRefuse},
    ImportWord{"include", Matter::closed, "import the files that it names, too"},
    // Settings without an equivalent.
    ImportWord{"fallbacks", Matter::lost, kNoFallback}, ImportWord{"default_fallbacks", Matter::lost, kNoFallback},
    ImportWord{"context_window_fallbacks", Matter::lost, kNoFallback},
    ImportWord{"content_policy_fallbacks", Matter::lost, kNoFallback},
    ImportWord{"model_group_alias", Matter::lost, kNoBodies}, ImportWord{"drop_params", Matter::lost, kNoBodies},
    ImportWord{"modify_params", Matter::lost, kNoBodies}, ImportWord{"max_tokens", Matter::lost, kNoBodies},
    ImportWord{"temperature", Matter::lost, kNoBodies}, ImportWord{"cache", Matter::lost, "headgate has no cache"},
    ImportWord{"cache_params", Matter::lost, "headgate has no cache"},
    ImportWord{"database_url", Matter::lost, kNoDatabase}, ImportWord{"store_model_in_db", Matter::lost, kNoDatabase},
    ImportWord{"litellm_credential_name", Matter::lost, "write the key of the provider in \"request_headers\""},
    ImportWord{"credential_list", Matter::lost, "write the keys of providers in \"request_headers\""},
    ImportWord{"default_internal_user_params", Matter::lost, kOwnCounters},
    ImportWord{"max_internal_user_budget", Matter::lost, kOwnCounters},
    ImportWord{"internal_user_budget_duration", Matter::lost, kOwnCounters},
    ImportWord{"max_end_user_budget", Matter::lost, kOwnCounters},
    ImportWord{"upperbound_key_generate_params", Matter::lost, kOwnCounters},
    ImportWord{"default_key_generate_params", Matter::lost, kOwnCounters},
    ImportWord{"default_team_settings", Matter::lost, kOwnCounters},
    ImportWord{"max_parallel_requests", Matter::lost, "write a limit with \"in_flight\""},
    ImportWord{"default_max_parallel_requests", Matter::lost, "write a limit with \"in_flight\""},
    ImportWord{"pass_through_endpoints", Matter::lost, "write a route for each"},
    ImportWord{"mcp_servers", Matter::lost, "write a route for each"},
    ImportWord{"routing_strategy", Matter::lost, "write \"balance\" in the upstream"},
    ImportWord{"num_retries", Matter::lost, "write \"retry\" in the upstream"},
    ImportWord{"retry_policy", Matter::lost, "write \"retry\" in the upstream"},
    ImportWord{"allowed_fails", Matter::lost, "headgate ejects failing servers: see \"eject\" in the upstream"},
    ImportWord{"cooldown_time", Matter::lost, "headgate ejects failing servers: see \"eject\" in the upstream"},
    ImportWord{"redis_password", Matter::lost, "write \"password\" in \"redis\", with a variable"},
    ImportWord{"enable_pre_call_checks", Matter::lost, "headgate does not compare a call with its model's size"},
    ImportWord{"environment_variables", Matter::lost, "values are not copied: set the variables of this file yourself"},
    // Settings without effect on traffic.
    ImportWord{"model_info", Matter::aside, "prices come from the price file"},
    ImportWord{"success_callback", Matter::aside, kOnlyLogs}, ImportWord{"failure_callback", Matter::aside, kOnlyLogs},
    ImportWord{"service_callbacks", Matter::aside, kOnlyLogs},
    ImportWord{"callback_settings", Matter::aside, kOnlyLogs}, ImportWord{"set_verbose", Matter::aside, kOnlyLogs},
    ImportWord{"json_logs", Matter::aside, kOnlyLogs}, ImportWord{"turn_off_message_logging", Matter::aside, kOnlyLogs},
    ImportWord{"redact_user_api_key_info", Matter::aside, kOnlyLogs}, ImportWord{"alerting", Matter::aside, kOnlyLogs},
    ImportWord{"alerting_threshold", Matter::aside, kOnlyLogs}, ImportWord{"telemetry", Matter::aside, kOnlyLogs},
    ImportWord{"background_health_checks", Matter::aside, "headgate checks servers by \"health\" in the upstream"},
    ImportWord{"health_check_interval", Matter::aside, "headgate checks servers by \"health\" in the upstream"},
    ImportWord{"disable_spend_logs", Matter::aside, kOfDatabase},
    ImportWord{"store_prompts_in_spend_logs", Matter::aside, kOfDatabase},
    ImportWord{"proxy_batch_write_at", Matter::aside, kOfDatabase},
    ImportWord{"database_connection_pool_limit", Matter::aside, kOfDatabase},
    ImportWord{"ui_access_mode", Matter::aside, kOfDatabase}};

}  // namespace

std::span<const ImportWord> litellm_words() { return kWords; }

}  // namespace headgate::translate
