// Builds the demands of a route on its callers.

#include "config/build.hpp"
#include "config/once.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/per_enum.hpp"

#include <algorithm>
#include <functional>

namespace headgate::config {
namespace {

constexpr WordsUpTo<gateway::Require::mtls> kRequire({"nothing", "jwt", "api_key", "mtls"});
constexpr Shape kRequireWord = choice(kRequire);
constexpr Shape kDemandedText = text("text", check_not_empty);
constexpr Shape kDemandedTexts = list("a list of texts", kDemandedText, 1, 64);
constexpr const Shape* kDemandedForms[] = {&kDemandedText, &kDemandedTexts};
constexpr Shape kDemanded = either("a text or a list of texts", kDemandedForms);
constexpr Shape kDemandedAlgorithm = choice(identity::kJwtAlgorithmNames);
constexpr Shape kDemandedAlgorithms = list("a list of algorithms", kDemandedAlgorithm, 1, 16);
constexpr Shape kScope = text("a scope", check_scope);
constexpr Shape kScopes = list("a list of scopes", kScope, 1, 64);
constexpr const Shape* kScopeForms[] = {&kScope, &kScopes};
constexpr Shape kScopeOrScopes = either("a scope or a list of scopes", kScopeForms);
constexpr Shape kClaimInteger = integer(0, std::uint64_t{1} << 53);
constexpr const Shape* kClaimValueForms[] = {&kDemandedText, &kBoolean, &kClaimInteger};
constexpr Shape kClaimValue = either("a text, a whole number, true or false", kClaimValueForms);
constexpr Shape kClaimValues = list("a list of values", kClaimValue, 1, 64);
constexpr const Shape* kClaimForms[] = {&kDemandedText, &kBoolean, &kClaimInteger, &kClaimValues};
constexpr Shape kClaimDemand = either("a value or a list of values", kClaimForms);
constexpr Shape kClaimDemands = map("an object of values by claim", kClaimDemand, 1, check_claim);
constexpr Key kRequireJwtKeys[] = {
    {"issuer", &kDemanded, "", R"("https://login.example.com/")",
     "Accepted `iss`, also accepted by `identity.jwt`. Default: any that `identity.jwt` accepts"},
    {"algorithms", &kDemandedAlgorithms, "", R"(["ES256"])",
     "Accepted signature algorithms. Default: any that the issuer may use"},
    {"audience", &kDemanded, "", R"("https://orders.example.com")",
     "Values of which `aud` must contain one, in addition to what `identity.jwt` requires"},
    {"scope", &kScopeOrScopes, "", R"("orders:write")",
     "Scopes that `scope` or `scp` must all contain; the claim is a list, or a text with spaces"},
    {"claims", &kClaimDemands, "", R"({ "plan": ["pro", "enterprise"], "admin": true })",
     "Required claims: each equals the value or one of the values, or is a list of texts that contains one. A path "
     "such as `realm_access.roles` names a claim within an object. JSON types must be equal: `\"5\"` is not `5`"},
};
constexpr Section kRequireJwt{"require_jwt", "routes[].require.jwt",
                              "Requirements on the token. A wrong issuer, algorithm or audience is refused with 401, a "
                              "missing scope or claim with 403.",
                              kRequireJwtKeys};
constexpr Shape kRequireJwtShape = section(kRequireJwt);
constexpr Key kRequireKeyKeys[] = {
    {"owners", &kDemanded, "", R"(["acme", "initech"])", "Accepted owners"},
    {"tiers", &kDemanded, "", R"(["pro", "enterprise"])", "Accepted tiers"},
    {"tags", &kDemanded, "", R"("batch")", "Tags of which the key must have one"},
};
constexpr Section kRequireKey{"require_api_key", "routes[].require.api_key",
                              "Requirements on the known key; all of these must hold. Other keys are refused with 403.",
                              kRequireKeyKeys};
constexpr Shape kRequireKeyShape = section(kRequireKey);
constexpr Key kRequireKeys[] = {
    {"jwt", &kRequireJwtShape, "", R"({ "scope": "orders:write" })", "A valid token with these properties"},
    {"api_key", &kRequireKeyShape, "", R"({ "tiers": ["pro"] })", "A known API key with these properties"},
};
constexpr std::string_view kRequireOneOf[] = {"jwt", "api_key"};
constexpr Section kRequireSection{.name = "require",
                                  .path = "routes[].require",
                                  .doc = "A valid credential, and requirements on it: a word, or an object.",
                                  .keys = kRequireKeys,
                                  .one_of = kRequireOneOf};
constexpr Shape kRequireObject = section(kRequireSection);
constexpr const Shape* kRequireForms[] = {&kRequireWord, &kRequireObject};

}  // namespace

constexpr Shape kRequireShape = either("a word or an object", kRequireForms);

namespace {

using gateway::Require;
using identity::JwtAlgorithm;

std::vector<std::string> demanded(Build& build, const Node* section, std::string_view key) {
  return texts_once(build.report, find(section, key));
}

std::vector<JwtAlgorithm> algorithms(const Node* section) {
  std::vector<JwtAlgorithm> out;
  for (const Node* each : texts(find(section, "algorithms"))) {
    const auto* const at =
        std::find(identity::kJwtAlgorithmNames.begin(), identity::kJwtAlgorithmNames.end(), each->text);
    if (at != identity::kJwtAlgorithmNames.end())
      out.push_back(static_cast<JwtAlgorithm>(at - identity::kJwtAlgorithmNames.begin()));
  }
  return out;
}

gateway::ClaimDemand claim(const Node& node) {
  gateway::ClaimDemand out{.name = node.key, .any_of = {}};
  const auto add = [&out](const Node& value) {
    // A number with a fraction such as 5.0 was already refused by the checker.
    if (value.kind == Kind::string || value.kind == Kind::boolean || value.kind == Kind::number)
      out.any_of.push_back({.text = value.text, .literal = value.kind != Kind::string});
  };
  if (node.kind != Kind::list) add(node);
  for (const Node* each : children(&node, Kind::list)) add(*each);
  return out;
}

gateway::TokenDemands token_demands(Build& build, const Node* jwt) {
  gateway::TokenDemands out{.issuers = demanded(build, jwt, "issuer"),
                            .algorithms = algorithms(jwt),
                            .audiences = demanded(build, jwt, "audience"),
                            .scopes = demanded(build, jwt, "scope"),
                            .claims = {}};
  for (const Node* each : children(find(jwt, "claims"), Kind::object)) out.claims.push_back(claim(*each));
  return out;
}

/// Checks that each demanded issuer is an accepted one. An accepted issuer without a name stands for any issuer.
void check_issuers(Build& build, const Node& jwt) {
  const auto& issuers = build.config.identity.jwt->issuers;
  if (std::any_of(issuers.begin(), issuers.end(), [](const auto& each) { return each.issuer.empty(); })) return;
  for (const Node* each : texts(find(&jwt, "issuer"))) {
    const auto same = [&](const auto& issuer) { return issuer.issuer == each->text; };
    if (std::any_of(issuers.begin(), issuers.end(), same)) continue;
    std::vector<std::string> names;
    names.reserve(issuers.size());
    for (const auto& issuer : issuers) names.push_back(issuer.issuer);
    build.report.error(code::kUnresolved, *each,
                       each->replaced
                           ? "the value of " + in_quotes(each->written) + " is not an issuer that \"identity\" accepts"
                           : "\"identity\" accepts no issuer named " + in_quotes(each->written),
                       "these are accepted: " + in_quotes(names.front()) + (names.size() > 1 ? " and others" : ""));
  }
}

/// Checks that each demanded algorithm is one that a possible issuer may use; otherwise no token passes.
void check_algorithms(Build& build, const Node& jwt, const gateway::TokenDemands& demands) {
  const auto& issuers = build.config.identity.jwt->issuers;
  const auto in_question = [&](const identity::JwtIssuer& issuer) {
    return demands.issuers.empty() || issuer.issuer.empty() ||
           std::find(demands.issuers.begin(), demands.issuers.end(), issuer.issuer) != demands.issuers.end();
  };
  const auto nodes = texts(find(&jwt, "algorithms"));
  for (std::size_t i = 0; i < demands.algorithms.size() && demands.algorithms.size() == nodes.size(); ++i) {
    const auto uses = [&](const identity::JwtIssuer& issuer) {
      const auto& theirs = issuer.algorithms;
      return in_question(issuer) && std::find(theirs.begin(), theirs.end(), demands.algorithms[i]) != theirs.end();
    };
    if (std::any_of(issuers.begin(), issuers.end(), uses)) continue;
    build.report.error(code::kConflict, *nodes[i],
                       "no issuer that this route accepts may sign with " + in_quotes(nodes[i]->text),
                       "add it to the \"algorithms\" of the issuer, or remove it here");
  }
}

/// Warns of names that no known key has. This is no error, because the known keys may change at any time.
void check_key_names(Build& build, const Node& api_key) {
  std::vector<const identity::ApiKeyRecord*> keys;
  for (const auto& key : build.config.identity.api_key.known) keys.push_back(&key);
  for (const auto& key : build.keys_in_file) keys.push_back(&key);
  const auto check = [&](std::string_view name, auto has) {
    for (const Node* each : texts(find(&api_key, name))) {
      const auto has_it = [&](const auto* key) { return has(*key, each->text); };
      if (std::any_of(keys.begin(), keys.end(), has_it)) continue;
      build.report.warning(code::kNoEffect, *each,
                           "no known API key has " + in_quotes(each->written) + " among its " + std::string(name),
                           "until a key has it, no key meets this condition");
    }
  };
  check("owners", [](const auto& key, const auto& text) { return key.owner == text; });
  check("tiers", [](const auto& key, const auto& text) { return key.tier == text; });
  check("tags", [](const auto& key, const auto& text) {
    return std::find(key.tags.begin(), key.tags.end(), text) != key.tags.end();
  });
}

}  // namespace

void build_require(Build& build, const Node& route, gateway::RouteOptions& out) {
  read_choice(&route, "require", kRequire, out.require);
  const Node* require = find(&route, "require");
  if (require == nullptr || require->kind != Kind::object) return;
  gateway::Demands demands;
  const Node* jwt = find(require, "jwt");
  const Node* api_key = find(require, "api_key");
  out.require = jwt != nullptr ? Require::jwt : Require::api_key;
  demands.token = token_demands(build, jwt);
  demands.key = {.owners = demanded(build, api_key, "owners"),
                 .tiers = demanded(build, api_key, "tiers"),
                 .tags = demanded(build, api_key, "tags")};
  out.demands = std::make_shared<const gateway::Demands>(std::move(demands));
}

void check_demands(Build& build, const gateway::RouteOptions& route, const Node& node) {
  if (!route.demands) return;
  const Node* require = find(&node, "require");
  const Node* jwt = find(require, "jwt");
  if (jwt != nullptr && build.config.identity.jwt) {
    check_issuers(build, *jwt);
    check_algorithms(build, *jwt, route.demands->token);
  }
  const Node* api_key = find(require, "api_key");
  if (api_key == nullptr) return;
  if (build.config.identity.api_key.any_known()) return check_key_names(build, *api_key);
  build.report.error_at_key(
      code::kUnresolved, *api_key,
      "a key can only be required by its owner, tier or tags if the keys are known, and no API key is known",
      kNameKeys);
}

}  // namespace headgate::config
