// Translates the configuration of LiteLLM's proxy: models, the master key, limits and the budget.

#include "translate/draft/addresses.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/litellm/work.hpp"
#include "translate/products.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/words.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/text.hpp"
#include "headgate/identity/sha256.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace headgate::translate {
namespace {

constexpr std::uint64_t kMicrosOfUnit = 1'000'000;
constexpr std::uint64_t kUnboundOutput = 4000;  // tokens that are held for a call that bounds its output by nothing

/// A setting that closes all routes.
struct LitellmGuard {
  std::string key;
  Spot spot;
  std::string why;
};

/// Names of callbacks that only report calls. Any other one may refuse them.
bool only_reports(std::string_view callback) {
  constexpr std::array<std::string_view, 14> kReports{
      "prometheus", "otel",   "langfuse", "langfuse_otel", "langsmith",     "datadog",    "datadog_llm_observability",
      "sentry",     "lunary", "helicone", "arize",         "arize_phoenix", "gcs_bucket", "s3_v2"};
  return std::ranges::find(kReports, callback) != kReports.end();
}

bool is_off(const TreeNode& node) {
  return !node || (node.is_text() && (node.text == "false" || node.text == "False" || node.text == "null"));
}

/// Reports each setting that is not translated. A setting that may refuse requests becomes a guard, also if it is
/// unknown and `unknown` is `closed`.
void say_of_settings(const TreeNode& section, Matter unknown, Draft& draft, std::vector<LitellmGuard>& guards) {
  for (const auto& [key, value] : section.members) {
    const auto* known = find_word(litellm_words(), key);
    if (is_off(value) || (known != nullptr && !known->becomes.empty())) continue;
    auto matter = known == nullptr ? unknown : known->matter;
    std::string why(known == nullptr ? "headgate import does not know it" : known->why);
    if (key == "callbacks" && std::ranges::all_of(value.texts(), only_reports)) {
      matter = Matter::aside;
      why = "these callbacks only report calls";
    }
    if (matter == Matter::closed)
      guards.push_back({key, value.spot, why});
    else
      draft.say(matter, value.spot, key, why);
  }
}

/// Parses an amount such as "12.5" in micro-units.
std::optional<std::uint64_t> micros_of(std::string_view text) {
  const auto point = std::min(text.find('.'), text.size());
  const auto whole = whole_count(text.substr(0, point));
  std::string rest(text.substr(std::min(point + 1, text.size())));
  if (!whole || rest.size() > 6) return std::nullopt;
  rest.resize(6, '0');
  const auto fraction = whole_count(rest);
  if (!fraction) return std::nullopt;
  return *whole * kMicrosOfUnit + *fraction;
}

/// Returns the period of a rate for "30d" or "1mo"; empty if headgate has none.
std::string period_of(std::string_view duration) {
  if (duration == "1mo") return "month";
  const auto number = duration.substr(0, std::min(duration.find_first_not_of("0123456789"), duration.size()));
  const auto unit = duration.substr(number.size());
  if (number.empty() || (unit != "s" && unit != "m" && unit != "h" && unit != "d")) return {};
  return std::string(duration);
}

void take_budget(LitellmWork& work, const TreeNode& settings) {
  const auto& budget = settings["max_budget"];
  if (!budget) return;
  const auto lost = [&](const char* why) { work.draft.say(Matter::lost, budget.spot, "max_budget", why); };
  const auto micros = micros_of(budget.text);
  if (!micros || *micros == 0) return lost("its amount was not understood");
  const auto period = period_of(settings.get("budget_duration"));
  if (period.empty()) return lost("a budget needs a period: write budget_duration, such as 30d or 1mo");
  DraftEntry limit;
  limit.name = free_name("budget", work.draft.limit_names);
  limit.spot = budget.spot;
  limit.from = "max_budget: " + budget.text;
  limit.set("rate", json_text(std::to_string(*micros) + '/' + period));
  limit.set("per", json_text("total"));
  limit.set("algorithm", json_text("fixed_window"));
  limit.set("unit", json_text("money"));
  say(limit, Matter::differs, budget.spot, limit.from,
      "prices come from a file, which must be there: \"headgate prices import\" makes it from LiteLLM's list; a model "
      "without a price is refused");
  put_limit(work.draft, std::move(limit));
  work.draft.process.set("prices", json_text("prices.json"));
  work.limits.push_back(json_text("budget"));  // each route replaces it by a use with the API of its server
  work.money = true;
  work.budget = *micros;
}

void take_parallel(LitellmWork& work, const TreeNode& general) {
  const auto& most = general["global_max_parallel_requests"];
  const auto count = whole_count(most.text);
  if (!most) return;
  if (!count || *count == 0)
    return work.draft.say(Matter::lost, most.spot, "global_max_parallel_requests", "its number was not understood");
  DraftEntry limit;
  limit.name = free_name("parallel", work.draft.limit_names);
  limit.spot = most.spot;
  limit.from = "global_max_parallel_requests: " + most.text;
  limit.set("in_flight", std::to_string(*count));
  limit.set("per", json_text("total"));
  work.limits.push_back(json_text(limit.name));
  put_limit(work.draft, std::move(limit));
}

/// Translates the master key. Returns false if the file has none.
bool take_master_key(LitellmWork& work, const TreeNode& general) {
  const auto& key = general["master_key"];
  if (key.text.empty()) return false;
  if (general.has("litellm_key_header_name")) work.key_fields = {general.get("litellm_key_header_name")};
  const auto variable = variable_in(key.text);
  if (!variable.empty()) work.draft.variables.insert(variable);
  const auto known = variable.empty() ? object_of({{"sha256", json_text(hex(identity::sha256(key.text)))}})
                                      : object_of({{"key", json_with_variables("${" + variable + '}')}});
  auto& identity = work.draft.identity;
  identity.spot = key.spot;
  identity.set("api_key",
               object_of({{"header", text_or_list(work.key_fields)}, {"keys", object_of({{"master", known}})}}));
  say(identity, Matter::lost, key.spot, "master_key",
      "virtual keys are in LiteLLM's database, so this key is the only one: issue others with \"headgate keys\"");
  return true;
}

void take_redis(LitellmWork& work, const TreeNode& router) {
  const auto& host = router["redis_host"];
  if (!host) return;
  const auto port = router.get("redis_port", "6379");
  if (!variable_in(host.text).empty() || !whole_count(port))
    return work.draft.say(Matter::lost, host.spot, "redis_host", "write \"redis\": { \"url\": \"redis://HOST:PORT\" }");
  work.draft.redis.spot = host.spot;
  work.draft.redis.set("url", json_text("redis://" + host.text + ':' + port));
}

void protect_routes(LitellmWork& work, const TreeNode& general, bool has_key, const std::vector<LitellmGuard>& guards) {
  const auto& addresses = general["allowed_ips"];
  const auto& largest = general["max_request_size_mb"];
  const auto size = whole_count(largest.text);
  if (largest && (!size || *size == 0))
    work.draft.say(Matter::lost, largest.spot, "max_request_size_mb", "its number was not understood");
  for (auto& route : work.draft.routes) {
    if (has_key)
      route.set("require", json_text("api_key"));
    else
      close_route(route, "the master key", route.spot, route.from,
                  "the file has no master_key, and LiteLLM may have it from LITELLM_MASTER_KEY: write who may call");
    if (addresses) set_addresses(address_rules(addresses.texts(), {}, addresses.spot), route);
    if (size && *size > 0) route.set("max_body", json_text(std::to_string(*size) + "MiB"));
    for (const auto& guard : guards) close_route(route, guard.key, guard.spot, guard.key, guard.why);
  }
}

void take_document(Draft& draft, const TreeNode& document) {
  const auto& general = document["general_settings"];
  const auto& settings = document["litellm_settings"];
  LitellmWork work{.draft = draft, .document = document, .deployments = {}};
  std::vector<LitellmGuard> guards;
  auto others = document;
  std::erase_if(others.members, [](const auto& each) {
    return each.key == "general_settings" || each.key == "litellm_settings" || each.key == "router_settings";
  });
  say_of_settings(others, Matter::closed, draft, guards);
  say_of_settings(general, Matter::closed, draft, guards);
  say_of_settings(settings, Matter::closed, draft, guards);
  say_of_settings(document["router_settings"], Matter::lost, draft, guards);
  for (const auto* node : document["model_list"].each()) {
    say_of_settings((*node)["litellm_params"], Matter::lost, draft, guards);
    say_of_settings(*node, Matter::lost, draft, guards);
  }
  const bool has_key = take_master_key(work, general);
  take_redis(work, document["router_settings"]);
  take_parallel(work, general);
  take_budget(work, settings);
  take_deployments(work);
  put_deployments(work);
  protect_routes(work, general, has_key, guards);
  if (!work.deployments.empty())
    draft.say(
        Matter::lost, document["model_list"].spot, "model_list",
        "headgate passes on every model of a server; a limit with \"unit\": \"money\" refuses models without a price");
}

}  // namespace

std::string variable_in(std::string_view text) {
  constexpr std::string_view kBegin = "os.environ/";
  if (!text.starts_with(kBegin)) return {};
  text.remove_prefix(kBegin.size());
  return !text.empty() && all_alnum(text, "_") ? std::string(text) : std::string();
}

std::string secret_variable(LitellmWork& work, const TreeNode& node, const std::string& otherwise) {
  auto name = variable_in(node.text);
  if (name.empty()) {
    const auto wanted = otherwise.empty() ? std::string("MODEL_API_KEY") : otherwise;
    name = wanted;
    const bool literal = static_cast<bool>(node);
    for (int i = 2; literal && work.draft.variables.contains(name); ++i) name = wanted + '_' + std::to_string(i);
    if (literal)
      work.draft.say(Matter::differs, node.spot, "api_key",
                     "secrets are not copied: the file takes this one from the environment, as " + name);
  }
  work.draft.variables.insert(name);
  return name;
}

std::string token_use(const std::string& limit, std::string_view api, std::uint64_t most) {
  std::vector<std::pair<std::string, std::string>> cost{{"usage", json_text(api)}};
  if (api == "openai") cost.emplace_back("ask_usage", "true");
  cost.emplace_back("hold", object_of({{"input", "4"}, {"otherwise", std::to_string(std::min(kUnboundOutput, most))}}));
  cost.emplace_back("most", std::to_string(most));
  cost.emplace_back("debt", "true");
  return object_of({{"use", json_text(limit)}, {"cost", object_of(cost)}});
}

void take_litellm(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  draft.listeners.emplace_back().set("address", json_text(":4000"));
  draft.listeners.back().comments.emplace_back("LiteLLM's default port; its --port may set another.");
  for (const auto& input : inputs)
    for (const auto& document : read_yaml(input.text, input.name, count)) take_document(draft, document);
}

}  // namespace headgate::translate
