// Who is calling.

#include "table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr std::string_view kJwtAlgorithmsLater[] = {"HS384", "HS512", "RS384", "RS512", "PS256", "PS384",
                                                    "PS512", "ES256", "ES384", "ES512", "EdDSA"};
constexpr Shape kJwtAlgorithm = choice(kJwtAlgorithms, kJwtAlgorithmsLater);
constexpr Shape kJwtAlgorithmList = list("a list of algorithms", kJwtAlgorithm, 1, 16);
constexpr std::string_view kJwtLater[] = {"jwks", "keys", "required_claims"};
constexpr Key kJwtKeys[] = {
    {"issuer", &kText, "", R"("https://login.example.com/")",
     "What the token's `iss` has to be; any where it is left out"},
    {"audience", &kText, "", R"("https://api.example.com")",
     "What has to be in the token's `aud`; any where it is left out"},
    {"algorithms", &kJwtAlgorithmList, "", R"(["RS256"])",
     "Signatures accepted: `HS256` (with `secret`) and `RS256` (with `public_key`); a token cannot choose another",
     required},
    {"secret", &kText, "", R"("${JWT_SECRET}")", "The shared secret of `HS256`, at least 32 bytes"},
    {"public_key", &kFilePath, "", R"("/etc/headgate/jwt.pem")",
     "A PEM file with the RSA public key of `RS256`, at least 2048 bits"},
    {"leeway", &kDuration, "30s", R"("30s")", "How far clocks may differ for `exp` and `nbf`"},
};
constexpr Section kJwt{"jwt", "identity.jwt", "JSON Web Tokens in `Authorization: Bearer`.", kJwtKeys, kJwtLater};
constexpr Shape kDigest = text("64 hexadecimal digits", check_digest);
constexpr Shape kTierName = text("a tier's name", check_name);
constexpr Key kKnownKeyKeys[] = {
    {"key", &kText, "", R"("${ACME_KEY}")", "The key itself; headgate keeps its SHA-256 only"},
    {"sha256", &kDigest, "", R"("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")",
     "Its SHA-256 in hexadecimal, so that the key itself stands in no file"},
    {"tier", &kTierName, "", R"("pro")", "Its tier in limits with `\"tier_from\": \"api_key\"`"},
};
constexpr std::string_view kKnownKeyForms[] = {"key", "sha256"};
constexpr Section kKnownKey{.name = "known_key",
                            .path = "identity.api_key.keys.<name>",
                            .doc = "A known key, under its owner's name.",
                            .keys = kKnownKeyKeys,
                            .one_of = kKnownKeyForms};
constexpr Shape kKnownKeyShape = section(kKnownKey);
constexpr Shape kKnownKeys = map("an object of keys by their owner's name", kKnownKeyShape);
constexpr std::string_view kApiKeyLater[] = {"file", "query", "cookie"};
constexpr Key kApiKeyKeys[] = {
    {"header", &kHeaderName, "X-API-Key", R"("X-API-Key")", "The field that carries a caller's key"},
    {"keys", &kKnownKeys, "{}", R"({ "acme": { "key": "${ACME_KEY}", "tier": "pro" } })",
     "Keys that are known, by their owner's name: for tiers and exemptions. Others are counted too, each by itself"},
};
constexpr Section kApiKey{"api_key", "identity.api_key", "API keys.", kApiKeyKeys, kApiKeyLater};
constexpr Shape kNetworks = list("a list of address blocks", kNetwork, 0, 1024);
constexpr Shape kIpv6Prefix = integer(1, 128);
constexpr Shape kApiKeyShape = section(kApiKey);
constexpr Shape kJwtShape = section(kJwt);
constexpr std::string_view kIdentityLater[] = {"proxy_protocol", "forwarded"};
constexpr Key kIdentityKeys[] = {
    {"trusted_proxies", &kNetworks, "[]", R"(["10.0.0.0/8"])",
     "Only these may tell the client's address, in `X-Forwarded-For`"},
    {"ipv6_prefix", &kIpv6Prefix, "64", "64", "All IPv6 addresses of one block of this length count as one client"},
    {"api_key", &kApiKeyShape, "", R"({ "header": "X-API-Key" })", "Where a caller's API key is found"},
    {"jwt", &kJwtShape, "", R"({ "algorithms": ["HS256"], "secret": "${JWT_SECRET}" })", "How tokens are verified"},
};

}  // namespace

constexpr Section kIdentitySection{"identity", "identity",
                                   "Who is calling: whatever a limit can count `per` comes from here.", kIdentityKeys,
                                   kIdentityLater};

}  // namespace headgate::config
