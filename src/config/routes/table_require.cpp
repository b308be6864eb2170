// Who may use a route.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kRequireWord = choice(kRequire);
constexpr Shape kDemandedText = text("text", check_not_empty);
constexpr Shape kDemandedTexts = list("a list of texts", kDemandedText, 1, 64);
constexpr const Shape* kDemandedForms[] = {&kDemandedText, &kDemandedTexts};
constexpr Shape kDemanded = either("a text or a list of texts", kDemandedForms);
constexpr Shape kDemandedAlgorithm = choice(kJwtAlgorithms);
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
     "Its `iss`: one of these, each of which `identity.jwt` accepts; default: any that is accepted"},
    {"algorithms", &kDemandedAlgorithms, "", R"(["ES256"])",
     "The algorithm of its signature: one of these; default: any that its issuer may use"},
    {"audience", &kDemanded, "", R"("https://orders.example.com")",
     "One of these is in its `aud`, beside what `identity.jwt` requires of it"},
    {"scope", &kScopeOrScopes, "", R"("orders:write")",
     "All of these are in its `scope` or `scp`, which may be a text with spaces between them or a list"},
    {"claims", &kClaimDemands, "", R"({ "plan": ["pro", "enterprise"], "admin": true })",
     "Each of these claims has the value, or one of the values, or is a list of texts with one of them in it; a claim "
     "within an object is named by its path, as in `realm_access.roles`. JSON "
     "types "
     "must be equal: `\"5\"` is not `5`"},
};
constexpr Section kRequireJwt{"require_jwt", "routes[].require.jwt",
                              "What the token must have. Another issuer, algorithm or audience is refused with 401, a "
                              "token without a scope or a claim with 403.",
                              kRequireJwtKeys};
constexpr Shape kRequireJwtShape = section(kRequireJwt);
constexpr Key kRequireKeyKeys[] = {
    {"owners", &kDemanded, "", R"(["acme", "initech"])", "Its owner is one of these"},
    {"tiers", &kDemanded, "", R"(["pro", "enterprise"])", "Its `tier` is one of these"},
    {"tags", &kDemanded, "", R"("batch")", "One of its `tags` is one of these"},
};
constexpr Section kRequireKey{"require_api_key", "routes[].require.api_key",
                              "What the known key must have: something of each of these. Other keys are refused with "
                              "403.",
                              kRequireKeyKeys};
constexpr Shape kRequireKeyShape = section(kRequireKey);
constexpr Key kRequireKeys[] = {
    {"jwt", &kRequireJwtShape, "", R"({ "scope": "orders:write" })", "A valid token that has this"},
    {"api_key", &kRequireKeyShape, "", R"({ "tiers": ["pro"] })", "A known API key that has this"},
};
constexpr std::string_view kRequireOneOf[] = {"jwt", "api_key"};
constexpr Section kRequireSection{.name = "require",
                                  .path = "routes[].require",
                                  .doc = "A valid credential, and what it must have: a word, or an object.",
                                  .keys = kRequireKeys,
                                  .one_of = kRequireOneOf};
constexpr Shape kRequireObject = section(kRequireSection);
constexpr const Shape* kRequireForms[] = {&kRequireWord, &kRequireObject};

}  // namespace

constexpr Shape kRequireShape = either("a word or an object", kRequireForms);

}  // namespace headgate::config
