// Translates "model_list": one upstream for each server and key, and its routes.

#include "translate/draft/json.hpp"
#include "translate/litellm/work.hpp"
#include "translate/reading/numbers.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace headgate::translate {
namespace {

constexpr std::array kLlmProviders{
    LlmProvider{"openai", "https://api.openai.com", "/v1", "OPENAI_API_KEY"},
    LlmProvider{"text-completion-openai", "https://api.openai.com", "/v1", "OPENAI_API_KEY"},
    LlmProvider{"anthropic", "https://api.anthropic.com", "/v1", "ANTHROPIC_API_KEY", "anthropic", "X-API-Key"},
    LlmProvider{"gemini", "https://generativelanguage.googleapis.com", "/v1beta", "GEMINI_API_KEY", "gemini",
                "X-Goog-Api-Key"},
    LlmProvider{"ollama", "http://localhost:11434", "/v1", ""},
    LlmProvider{"ollama_chat", "http://localhost:11434", "/v1", ""},
    LlmProvider{"hosted_vllm", "", "", ""},
    LlmProvider{"openai_like", "", "", ""},
    LlmProvider{"custom_openai", "", "", ""},
    LlmProvider{"lm_studio", "", "", ""},
    LlmProvider{"llamafile", "", "", ""},
    LlmProvider{"groq", "https://api.groq.com", "/openai/v1", "GROQ_API_KEY"},
    LlmProvider{"mistral", "https://api.mistral.ai", "/v1", "MISTRAL_API_KEY"},
    LlmProvider{"deepseek", "https://api.deepseek.com", "/v1", "DEEPSEEK_API_KEY"},
    LlmProvider{"together_ai", "https://api.together.xyz", "/v1", "TOGETHERAI_API_KEY"},
    LlmProvider{"openrouter", "https://openrouter.ai", "/api/v1", "OPENROUTER_API_KEY"},
    LlmProvider{"xai", "https://api.x.ai", "/v1", "XAI_API_KEY"}};

using Members = std::vector<std::pair<std::string, std::string>>;

/// Splits "https://host:8000/v1/" into the server and the path. Returns false if the text is no such address.
bool split_address(std::string_view text, Deployment& out) {
  const auto scheme = text.find("://");
  if (scheme == text.npos || (!text.starts_with("http://") && !text.starts_with("https://"))) return false;
  const auto slash = std::min(text.find('/', scheme + 3), text.size());
  out.server = text.substr(0, slash);
  auto path = text.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.empty()) out.path = path;
  return out.server.find_first_of("$@") == std::string::npos && path.find_first_of("*{$?#%") == path.npos;
}

void take_deployment(LitellmWork& work, const TreeNode& node) {
  const auto& params = node["litellm_params"];
  Deployment out;
  out.node = &node;
  out.name = node.get("model_name");
  out.model = params.get("model");
  const auto base = params.get("api_base", params.get("base_url"));
  const auto lost = [&](const char* why) { work.draft.say(Matter::lost, node.spot, "model " + out.name, why); };
  out.provider = llm_provider(out.model, params.get("custom_llm_provider"), !base.empty());
  if (out.provider == nullptr)
    return lost("headgate does not translate between the APIs of providers, and cannot pass on calls to this one");
  if (out.model.starts_with(std::string(out.provider->name) + '/')) out.model.erase(0, out.provider->name.size() + 1);
  out.server = out.provider->server;
  out.path = out.provider->path;
  out.key = params.get("api_key");
  if (!variable_in(base).empty())
    return lost("its address is in a variable: write it in \"upstreams\", and a route to it");
  if (!base.empty() && !split_address(base, out)) return lost("its api_base is no address that headgate knows");
  if (out.server.empty()) return lost("it has no api_base");
  work.deployments.push_back(std::move(out));
}

/// Deployments with the same server, path and key, which share routes.
struct Destination {
  std::vector<const Deployment*> deployments;
  std::vector<std::string> servers;  ///< more than one if they have the same models
  std::set<std::string> models;      ///< names that clients write
  std::string prefix;                ///< "/openai", or empty if there is only one destination
  std::string upstream;

  const Deployment& first() const { return *deployments.front(); }
};

void set_key(LitellmWork& work, const Destination& to, DraftEntry& route) {
  const auto& provider = *to.first().provider;
  const auto& node = (*to.first().node)["litellm_params"]["api_key"];
  Members changes;
  // The client's key is for the gateway, and not for the provider.
  auto remove = work.key_fields;
  if (to.first().key.empty() && provider.variable.empty())
    return route.set("request_headers", object_of({{"remove", texts_of(remove)}}));
  std::erase(remove, std::string(provider.field));
  const auto variable = secret_variable(work, node, std::string(provider.variable));
  const auto value = (provider.field == "Authorization" ? "Bearer ${" : "${") + variable + '}';
  changes.emplace_back("set", object_of({{std::string(provider.field), json_with_variables(value)}}));
  if (!remove.empty()) changes.emplace_back("remove", texts_of(remove));
  route.set("request_headers", object_of(changes));
}

/// Returns the number of a deployment's parameter; empty if all have none, and 0 if they differ.
std::optional<std::uint64_t> same_number(const Destination& to, const char* key) {
  std::set<std::string> found;
  for (const auto* each : to.deployments) found.insert((*each->node)["litellm_params"].get(key));
  if (found.size() == 1 && found.begin()->empty()) return std::nullopt;
  return found.size() == 1 ? whole_count(*found.begin()).value_or(0) : 0;
}

/// Adds the limit of `rpm` or `tpm`, and returns its use.
std::string put_rate(LitellmWork& work, const Destination& to, const char* key, bool tokens) {
  const auto rate = same_number(to, key);
  if (!rate) return {};
  const auto spot = [&] {
    for (const auto* each : to.deployments)
      if (const auto& node = (*each->node)["litellm_params"][key]) return node.spot;
    return to.first().node->spot;
  }();
  const bool several = to.models.size() > 1;
  if (*rate == 0 || (several && to.first().provider->api == "gemini")) {
    work.draft.say(Matter::lost, spot, key,
                   "the models of one server have different rates: write a limit and a route for each");
    return {};
  }
  DraftEntry limit;
  limit.name = free_name(to.upstream + '-' + key, work.draft.limit_names);
  limit.spot = spot;
  limit.from = std::string(key) + ": " + std::to_string(*rate);
  const auto all = *rate * to.servers.size();
  limit.set("rate", rate_of(all, "minute"));
  limit.set("per", json_text(several ? "body:/model" : "total"));
  limit.set("algorithm", json_text("fixed_window"));
  if (tokens) limit.set("unit", json_text("token"));
  say(limit, Matter::differs, spot, limit.from,
      "LiteLLM chooses deployments by it, and refuses calls only with enforce_model_rate_limits; headgate refuses "
      "them");
  const auto name = limit.name;
  put_limit(work.draft, std::move(limit));
  return tokens ? token_use(name, to.first().provider->api, all) : json_text(name);
}

/// The paths of a provider's API whose cost headgate reads, in front of which the version stands.
std::vector<std::string> costed_paths(const LlmProvider& provider) {
  if (provider.api == "anthropic") return {"/messages"};
  if (provider.api == "gemini") return {"/*"};
  return {"/chat/completions", "/completions", "/embeddings"};
}

std::string timeout_of(const LitellmWork& work, const Destination& to) {
  const auto& document = work.document;
  for (const auto& text :
       {(*to.first().node)["litellm_params"].get("timeout"), document["router_settings"].get("timeout"),
        document["litellm_settings"].get("request_timeout")})
    if (const auto seconds = whole_count(text.substr(0, text.find('.'))); seconds && *seconds > 0)
      return milliseconds(*seconds * 1000);
  return milliseconds(600'000);  // as OpenAI's client
}

void say_of_models(const Destination& to, DraftEntry& route) {
  std::string models;
  for (const auto& each : to.models) models += (models.empty() ? "" : ", ") + each;
  for (const auto* each : to.deployments)
    if (each->model != each->name && each->name.find('*') == std::string::npos)
      say(route, Matter::lost, each->node->spot, "model_name: " + each->name,
          "headgate does not change bodies: clients must write " + each->model);
  route.comments.push_back("Models: " + models);
  if (to.first().provider->api != "openai")
    say(route, Matter::lost, to.first().node->spot, "model " + to.first().name,
        "headgate does not translate between the APIs of providers: clients must speak the one of " +
            std::string(to.first().provider->name));
  if (!to.prefix.empty())
    say(route, Matter::differs, to.first().node->spot, "model " + to.first().name,
        "headgate does not choose servers by what a caller sends: clients use the address of this gateway with " +
            to.prefix + " behind it");
}

void put_destination(LitellmWork& work, Destination& to) {
  const auto& first = to.first();
  auto& upstream = work.draft.upstreams.emplace_back();
  upstream.name = to.upstream;
  upstream.spot = first.node->spot;
  upstream.from = "model " + first.name;
  upstream.set("servers", texts_of(to.servers));
  std::vector<std::string> uses = work.limits;
  if (work.money) uses.back() = token_use("budget", first.provider->api, work.budget);
  if (auto use = put_rate(work, to, "rpm", false); !use.empty()) uses.push_back(std::move(use));
  const auto tokens = put_rate(work, to, "tpm", true);
  if (!tokens.empty()) uses.push_back(tokens);
  const bool costed = work.money || !tokens.empty();
  const std::string version = first.provider->api == "gemini" ? "/v1beta" : "/v1";
  const auto paths = costed ? costed_paths(*first.provider) : std::vector<std::string>{"/*"};
  for (const auto& path : paths) {
    DraftEntry route;
    route.spot = first.node->spot;
    route.from = "model " + first.name;
    if (path == paths.front()) say_of_models(to, route);
    if (path == paths.front() && paths.size() > 1)
      say(route, Matter::differs, first.node->spot, "model " + first.name,
          "other calls of the API have no route, because a budget must read their cost: write a route for each that "
          "you need");
    route.set("path", json_text(to.prefix + version + path));
    route.set("to", json_text(to.upstream));
    const auto strip = to.prefix + (first.path == version ? "" : version);
    Members rewrite;
    if (!strip.empty()) rewrite.emplace_back("strip_prefix", json_text(strip));
    if (first.path != version && !first.path.empty()) rewrite.emplace_back("add_prefix", json_text(first.path));
    if (!rewrite.empty()) route.set("rewrite", object_of(rewrite));
    set_key(work, to, route);
    route.set("timeout", timeout_of(work, to));
    route.uses = uses;
    put_route(work.draft, std::move(route));
  }
}

}  // namespace

const LlmProvider* llm_provider(std::string_view model, std::string_view given, bool has_base) noexcept {
  const auto slash = model.find('/');
  auto name = !given.empty() ? given : slash == model.npos ? std::string_view() : model.substr(0, slash);
  if (name.empty()) {
    const auto begins = [&](std::string_view word) { return model.starts_with(word); };
    if (has_base || begins("gpt-") || begins("chatgpt-") || begins("o1") || begins("o3") || begins("o4") ||
        begins("text-embedding-"))
      name = "openai";
    else if (begins("claude-"))
      name = "anthropic";
  }
  const auto found = std::ranges::find(kLlmProviders, name, &LlmProvider::name);
  return found == kLlmProviders.end() ? nullptr : &*found;
}

void take_deployments(LitellmWork& work) {
  for (const auto* node : work.document["model_list"].each()) take_deployment(work, *node);
}

void put_deployments(LitellmWork& work) {
  using Key = std::tuple<std::string, std::string, std::string, std::set<std::string>>;
  std::map<Key, std::vector<const Deployment*>> by_server;
  for (const auto& each : work.deployments) by_server[{each.server, each.path, each.key, {}}].push_back(&each);
  std::vector<Destination> all;
  std::map<Key, std::size_t> known;  // servers with the same models are one destination
  for (const auto& each : work.deployments) {
    const auto found = by_server.find({each.server, each.path, each.key, {}});
    if (found == by_server.end()) continue;  // it was the deployment of a server before
    std::set<std::string> models;
    for (const auto* other : found->second) models.insert(other->name + '\n' + other->model);
    const auto [at, is_new] =
        known.emplace(Key{std::string(each.provider->name), each.path, each.key, models}, all.size());
    if (is_new) all.emplace_back();
    auto& to = all[at->second];
    to.servers.push_back(each.server);
    for (const auto* other : found->second) {
      to.deployments.push_back(other);
      to.models.insert(other->name);
    }
    by_server.erase(found);
  }
  for (auto& each : all) {
    each.upstream = free_name(each.first().provider->name, work.draft.upstream_names);
    if (all.size() > 1) each.prefix = '/' + each.upstream;
  }
  for (auto& each : all) put_destination(work, each);
}

}  // namespace headgate::translate
