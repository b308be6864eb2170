// Who is calling.

#include "config/table_shapes.hpp"

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

// tokens

constexpr Shape kJwtAlgorithm = choice(kJwtAlgorithms);
constexpr Shape kJwtAlgorithmList = list("a list of algorithms", kJwtAlgorithm, 1, 16);
constexpr Shape kSomeText = text("text", check_not_empty);
constexpr Shape kTexts = list("a list of texts", kSomeText, 1, 64);
constexpr const Shape* kTextForms[] = {&kSomeText, &kTexts};
constexpr Shape kTextOrTexts = either("a text or a list of texts", kTextForms);
constexpr Shape kJwkSet =
    path("a file's path or a URL", check_jwk_set, [](std::string_view text) { return !is_url(text); });
constexpr std::array kIssuerRows{
    Key{"issuer", &kSomeText, "", R"("https://login.example.com/")",
        "Required `iss` of the token; without this key a single issuer accepts any `iss`"},
    Key{"audience", &kTextOrTexts, "", R"("https://api.example.com")",
        "Required value in the token's `aud`; of a list, one value is enough; default: any"},
    Key{"algorithms", &kJwtAlgorithmList, "", R"(["RS256"])",
        "Accepted signatures: `HS*` (with `secret`), `RS*`, `PS*`, `ES*` and `EdDSA` (with `public_key` or `jwks`); a "
        "token cannot choose another algorithm or another kind of key"},
    Key{"secret", &kSomeText, "", R"("${JWT_SECRET}")",
        "The shared secret of `HS*`, at least as long as the hash: 32, 48 or 64 bytes"},
    Key{"public_key", &kFilePath, "", R"("/etc/headgate/jwt.pem")",
        "A PEM file with a public key: RSA of at least 2048 bits, EC (P-256, P-384, P-521), Ed25519 or Ed448"},
    Key{"jwks", &kJwkSet, "", R"("https://login.example.com/.well-known/jwks.json")",
        "A JWK Set: a file, read again when it changes, or an `http://` or `https://` address, fetched in the "
        "background"},
    Key{"jwks_ca", &kFilePath, "", R"("/etc/headgate/ca.pem")",
        "PEM file of the certificate authorities for the host of `jwks`; default: those of the system"},
    Key{"refresh", &kDuration, "5m", R"("5m")",
        "How often `jwks` is fetched if the answer's `Cache-Control` gives no time"},
    Key{"refetch", &kDuration, "10s", R"("10s")",
        "Minimum time between two fetches of `jwks` that tokens with an unknown key cause"},
    Key{"fetch_timeout", &kDuration, "5s", R"("5s")", "How long one fetch of `jwks` may take"},
    Key{"types", &kTexts, R"(["JWT", "at+jwt"])", R"(["at+jwt"])",
        "Accepted values of the token's `typ`. Without this key a token without `typ` is accepted, too"},
    Key{"leeway", &kDuration, "30s", R"("30s")", "How far clocks may differ for `exp`, `nbf` and `iat`"},
    Key{"max_age", &kDuration, "", R"("12h")", "Maximum age of a token by its `iat`, which is then required"},
};
constexpr Section kIssuer{"issuer", "identity.jwt.issuers[]", "One of several issuers; each has its own `issuer`.",
                          kIssuerRows};
constexpr Shape kIssuerShape = section(kIssuer);
constexpr Shape kIssuers = list("a list of issuers", kIssuerShape, 1, 64);
constexpr Shape kClaim = text("a claim's name", check_claim);
constexpr Shape kClaimHeaders = map("an object of claims by field name", kClaim, 0, check_field_name);
constexpr Shape kRemember = integer(0, 10'000'000);
constexpr Shape kParameterName = text("a parameter's name", check_parameter_name);
constexpr Shape kCookieName = text("a cookie's name", check_cookie_name);
constexpr std::array kJwtOwnRows{
    Key{"issuers", &kIssuers, "", R"([{ "issuer": "https://a.example/", "algorithms": ["RS256"], "jwks": "a.json" }])",
        "Several issuers, in place of the keys above. The token's `iss` says which one it is from"},
    Key{"header", &kHeaderName, "Authorization", R"("X-Token")",
        "The field that carries the token: `Authorization` needs the scheme `Bearer`, in another field it is optional"},
    Key{"cookie", &kCookieName, "", R"("session")", "A cookie that may carry it instead"},
    Key{"query", &kParameterName, "", R"("access_token")",
        "A query parameter that may carry it instead; servers and proxies may log it"},
    Key{"pass_on", &kBoolean, "true", "false", "Whether the server gets the token"},
    Key{"claim_headers", &kClaimHeaders, "{}", R"({ "X-User": "sub" })",
        "Fields in which the server gets claims of the verified token; a caller's own fields of these names are "
        "removed on every route"},
    Key{"remember", &kRemember, "10000", "10000",
        "Size of each worker's token cache: so many verified tokens, and as many refused ones, need no second "
        "signature check"},
};

template <std::size_t N, std::size_t M>
constexpr std::array<Key, N + M> joined(const std::array<Key, N>& a, const std::array<Key, M>& b) {
  std::array<Key, N + M> out{};
  std::copy(a.begin(), a.end(), out.begin());
  std::copy(b.begin(), b.end(), out.begin() + N);
  return out;
}
constexpr auto kJwtRows = joined(kIssuerRows, kJwtOwnRows);
constexpr std::string_view kJwtLater[] = {"keys"};
constexpr Section kJwt{"jwt", "identity.jwt",
                       "JSON Web Tokens: which issuers are accepted, and where a request carries its token.", kJwtRows,
                       kJwtLater};

// API keys

constexpr Shape kDigest = text("64 hexadecimal digits", check_digest);
constexpr Shape kKeyTierName = text("a tier's name", check_name);
constexpr Shape kKeyTag = text("a tag", check_name);
constexpr Shape kKeyTags = list("a list of tags", kKeyTag, 0, 16);
constexpr Key kKnownKeyKeys[] = {
    {"key", &kText, "", R"("${ACME_KEY}")", "The key itself; headgate keeps its SHA-256 only"},
    {"sha256", &kDigest, "", R"("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")",
     "Its SHA-256 in hexadecimal, so that the key itself is in no file"},
    {"tier", &kKeyTierName, "", R"("pro")", "Its tier in limits with `\"tier_from\": \"api_key\"`"},
    {"tags", &kKeyTags, "[]", R"(["batch"])", "Words by which routes choose keys in `require.api_key`"},
};
constexpr std::string_view kKnownKeyForms[] = {"key", "sha256"};
constexpr Section kKnownKey{.name = "known_key",
                            .path = "identity.api_key.keys.<name>",
                            .doc = "A known key, under its owner's name.",
                            .keys = kKnownKeyKeys,
                            .one_of = kKnownKeyForms};
constexpr Shape kKnownKeyShape = section(kKnownKey);
constexpr Shape kKnownKeys = map("an object of keys by their owner's name", kKnownKeyShape);
constexpr Key kApiKeyKeys[] = {
    {"header", &kHeaderName, "X-API-Key", R"("X-API-Key")", "The field that carries a caller's key"},
    {"query", &kParameterName, "", R"("api_key")",
     "A query parameter that may carry it instead; servers and proxies may log it"},
    {"cookie", &kCookieName, "", R"("api_key")", "A cookie that may carry it instead"},
    {"pass_on", &kBoolean, "false", "true", "Whether the server gets the key"},
    {"file", &kFilePath, "", R"("/etc/headgate/api-keys.json")",
     "A file of known keys, read again when it changes; `headgate keys` makes and checks it"},
    {"keys", &kKnownKeys, "{}", R"({ "acme": { "key": "${ACME_KEY}", "tier": "pro" } })",
     "Known keys by their owner's name. If any key is known, here or in `file`, only known keys are valid; otherwise "
     "every text is a valid key with its own counters"},
};
constexpr Section kApiKey{"api_key", "identity.api_key", "API keys.", kApiKeyKeys};

// failures

constexpr Shape kFailureRate{.form = Form::rate, .what = "a rate"};
constexpr Shape kFailureBurst = integer(1, 1'000'000'000);
constexpr Key kFailuresKeys[] = {
    {"rate", &kFailureRate, "60/minute", R"("60/minute")", "How often one address may fail"},
    {"burst", &kFailureBurst, "", "60", "How often at once; default: the rate's count"},
};
constexpr Section kFailures{
    "failures", "identity.failures",
    "Limits failed authentication by client address, before it costs a signature check: an object, or `\"off\"`.",
    kFailuresKeys};
constexpr Shape kFailuresObject = section(kFailures);
constexpr Shape kFailuresWord = choice(kAdminWords);
constexpr const Shape* kFailuresForms[] = {&kFailuresObject, &kFailuresWord};
constexpr Shape kFailuresShape = either("an object or \"off\"", kFailuresForms);

// identity

constexpr std::string_view kProxyFieldsFallback =
    R"(["X-Forwarded-*", "X-Original-URL", "X-Original-URI", "X-Original-Host", "X-Original-Forwarded-For", )"
    R"("X-Rewrite-URL", "X-HTTP-Host-Override", "X-Url-Scheme", "X-Script-Name", "Script-Name", "Path-Info", )"
    R"("X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP", "CF-Connecting-IPv6", )"
    R"("Fastly-Client-IP", "Fly-Client-IP", "X-Envoy-*", "X-SSL-*", "SSL-Client-*", "Front-End-Https", )"
    R"("Remote-User", "X-Remote-User", "Proxy", "Headgate-Mirror"])";
constexpr Shape kNetworks = list("a list of address blocks", kNetwork, 0, 1024);
constexpr Shape kProxyField = text("a field name", check_proxy_field);
constexpr Shape kProxyFieldList = list("a list of field names", kProxyField, 0, 256);
constexpr Shape kIpv6Prefix = integer(1, 128);
constexpr Shape kAddressFrom = choice(kAddressFields);
constexpr Shape kApiKeyShape = section(kApiKey);
constexpr Shape kJwtShape = section(kJwt);
constexpr Shape kCertificatePart = choice(kCertificateParts);
constexpr Shape kCertificateHeaders =
    map("an object of a certificate's parts by field name", kCertificatePart, 0, check_field_name);
constexpr Key kIdentityKeys[] = {
    {"trusted_proxies", &kNetworks, "[]", R"(["10.0.0.0/8"])",
     "Only these proxies may name the client's address, in the field `address_from` or by the PROXY protocol"},
    {"address_from", &kAddressFrom, "X-Forwarded-For", R"("Forwarded")",
     "The field in which all trusted proxies write the client's address. No other field is read"},
    {"proxy_fields", &kProxyFieldList, kProxyFieldsFallback, R"(["X-Forwarded-*", "X-Original-URL", "Proxy"])",
     "Fields that only trusted proxies may send; they are removed from all other requests, also if `_` replaces `-`. A "
     "name that ends in `*` stands for all names with this beginning. A list here replaces the default"},
    {"ipv6_prefix", &kIpv6Prefix, "64", "64", "All IPv6 addresses of one block of this length count as one client"},
    {"api_key", &kApiKeyShape, "", R"({ "file": "/etc/headgate/api-keys.json" })",
     "Where a caller's API key is found, and which are known"},
    {"jwt", &kJwtShape, "", R"({ "algorithms": ["HS256"], "secret": "${JWT_SECRET}" })", "How tokens are verified"},
    {"certificate_headers", &kCertificateHeaders, "{}", R"({ "X-Client-Subject": "subject" })",
     "Fields in which the server gets parts of a client's certificate that a listener has verified: `subject`, `san` "
     "or "
     "`sha256`; a caller's own fields of these names are removed on every route"},
    {"failures", &kFailuresShape, "", R"({ "rate": "60/minute" })", "How often one address may fail to authenticate"},
};

}  // namespace

constexpr Section kIdentitySection{"identity", "identity",
                                   "Who is calling. Limits count `per` what is configured here.", kIdentityKeys};

}  // namespace headgate::config
