// Builds the keys and the accepted issuers of JSON Web Tokens. Each mistake is shown at the key of the file that causes
// it.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/once.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/identity/jwt_keys.hpp"
#include "headgate/keyring/authorities.hpp"
#include "headgate/keyring/url.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace headgate::config {
namespace {

constexpr Shape kJwtAlgorithm = choice(identity::kJwtAlgorithmNames);
constexpr Shape kJwtAlgorithmList = list("a list of algorithms", kJwtAlgorithm, 1, 16);
constexpr Shape kSomeText = text("text", check_not_empty);
constexpr Shape kTexts = list("a list of texts", kSomeText, 1, 64);
constexpr const Shape* kTextForms[] = {&kSomeText, &kTexts};
constexpr Shape kTextOrTexts = either("a text or a list of texts", kTextForms);
constexpr Shape kJwkSet =
    path("a file's path or a URL", check_jwk_set, [](std::string_view text) { return !is_url(text); });
constexpr std::array kIssuerRows{
    Key{"issuer", &kSomeText, "", R"("https://login.example.com/")",
        "Required `iss`. Default: any, if there is only one issuer", into<&identity::JwtIssuer::issuer>},
    Key{"audience", &kTextOrTexts, "", R"("https://api.example.com")",
        "Required value in `aud`; one value of a list is enough. Default: any", into<&identity::JwtIssuer::audiences>},
    Key{"algorithms", &kJwtAlgorithmList, "", R"(["RS256"])",
        "Accepted signature algorithms: `HS*` (need `secret`), `RS*`, `PS*`, `ES*` and `EdDSA` (need `public_key` or "
        "`jwks`). A token cannot choose another one"},
    Key{"secret", &kSomeText, "", R"("${JWT_SECRET}")",
        "Shared secret of `HS*`, at least as long as the hash: 32, 48 or 64 bytes"},
    Key{"public_key", &kFilePath, "", R"("/etc/headgate/jwt.pem")",
        "PEM file with a public key: RSA of at least 2048 bits, EC (P-256, P-384, P-521), Ed25519 or Ed448"},
    Key{"jwks", &kJwkSet, "", R"("https://login.example.com/.well-known/jwks.json")",
        "JWK Set: a file, read again when it changes, or a URL, fetched in the background"},
    Key{"jwks_ca", &kFilePath, "", R"("/etc/headgate/ca.pem")",
        "PEM file of the authorities trusted for `jwks`. Default: those of the system"},
    Key{"refresh", &kDuration, kOfOptions, R"("5m")",
        "Interval between fetches of `jwks`, unless `Cache-Control` of the answer gives one",
        into<&identity::JwtIssuer::keys, &identity::JwtKeySource::refresh>},
    Key{"refetch", &kDuration, kOfOptions, R"("10s")",
        "Minimum time between fetches of `jwks` caused by tokens with an unknown key",
        into<&identity::JwtIssuer::keys, &identity::JwtKeySource::refetch>},
    Key{"fetch_timeout", &kDuration, kOfOptions, R"("5s")", "Maximum duration of one fetch of `jwks`",
        into<&identity::JwtIssuer::keys, &identity::JwtKeySource::fetch_timeout>},
    Key{"types", &kTexts, kOfOptions, R"(["at+jwt"])",
        "Accepted values of `typ`. Without this key, a token without `typ` is accepted too",
        into<&identity::JwtIssuer::types>},
    Key{"leeway", &kDuration, kOfOptions, R"("30s")", "Tolerated clock difference for `exp`, `nbf` and `iat`",
        into<&identity::JwtIssuer::leeway>},
    Key{"max_age", &kDuration, "", R"("12h")", "Maximum age of a token, measured from `iat`, which is then required",
        into<&identity::JwtIssuer::max_age>},
};
constexpr Section kIssuer{"issuer", "identity.jwt.issuers[]", "One of several issuers.", kIssuerRows};
constexpr Shape kIssuerShape = section(kIssuer);
constexpr Shape kIssuers = list("a list of issuers", kIssuerShape, 1, 64);
constexpr Shape kClaim = text("a claim's name", check_claim);
constexpr Shape kClaimHeaders = map("an object of claims by field name", kClaim, 0, check_field_name);
constexpr Shape kRemember = integer(0, 10'000'000);
constexpr std::array kJwtOwnRows{
    Key{"issuers", &kIssuers, "", R"([{ "issuer": "https://a.example/", "algorithms": ["RS256"], "jwks": "a.json" }])",
        "Several issuers, in place of the keys above; `iss` of the token selects one"},
    Key{"header", &kHeaderName, "Authorization", R"("X-Token")",
        "Request field with the token. `Authorization` requires the scheme `Bearer`; in other fields it is optional"},
    Key{"cookie", &kCookieName, "", R"("session")", "Cookie that may contain the token",
        into<&identity::JwtOptions::cookie>},
    Key{"query", &kParameterName, "", R"("access_token")",
        "Query parameter that may contain the token; servers and proxies may log it",
        into<&identity::JwtOptions::query>},
    Key{"pass_on", &kBoolean, kOfOptions, "false", "Whether the token is passed on to the server",
        into<&identity::JwtOptions::pass_on>},
    Key{"claim_headers", &kClaimHeaders, "{}", R"({ "X-User": "sub" })",
        "Request fields that tell the server claims of the verified token. Fields of these names from clients are "
        "removed on every route"},
    Key{"remember", &kRemember, kOfOptions, "10000",
        "Verified tokens, and as many rejected ones, that each worker remembers to avoid a second signature check",
        into<&identity::JwtOptions::remember>},
};

template <std::size_t N, std::size_t M>
constexpr std::array<Key, N + M> both_of(const std::array<Key, N>& a, const std::array<Key, M>& b) {
  std::array<Key, N + M> out{};
  std::copy(a.begin(), a.end(), out.begin());
  std::copy(b.begin(), b.end(), out.begin() + N);
  return out;
}
constexpr auto kJwtRows = both_of(kIssuerRows, kJwtOwnRows);
constexpr std::string_view kJwtLater[] = {"keys"};
constexpr Section kJwt{"jwt", "identity.jwt", "JSON Web Tokens: accepted issuers, and where requests carry the token.",
                       kJwtRows, kJwtLater};

}  // namespace

constexpr Shape kJwtShape = section(kJwt);

namespace {

using identity::JwtAlgorithm;
using identity::JwtIssuer;
using identity::JwtKeys;

/// The kind of key that an algorithm verifies signatures with.
enum class With { secret, public_key };
With with_of(JwtAlgorithm algorithm) noexcept {
  return algorithm <= JwtAlgorithm::HS512 ? With::secret : With::public_key;
}
std::string name_of(JwtAlgorithm algorithm) { return std::string(identity::kJwtAlgorithmNames[algorithm]); }

/// Builds one issuer, written at `node`.
class IssuerBuilder {
 public:
  IssuerBuilder(Build& build, const Node& node) : report_(build.report), node_(node) {}

  JwtIssuer run() {
    fill(&node_, kIssuer, out_);
    leeway();
    out_.demands_type = find(&node_, "types") != nullptr;
    algorithms();
    if (out_.algorithms.empty()) return std::move(out_);
    secret();
    public_key();
    jwk_set();
    demand_keys();
    return std::move(out_);
  }

 private:
  void leeway() {
    if (out_.leeway <= std::chrono::hours(24)) return;
    report_.error(code::kRange, *find(&node_, "leeway"), "the leeway is more than a day", R"(write at most "1d")");
  }

  void algorithms() {
    const Node* written = find(&node_, "algorithms");
    if (written == nullptr) {
      report_.error(code::kMissing, {node_.span.begin, node_.span.begin + 1}, pointer(node_),
                    "\"algorithms\" is missing here", R"(add "algorithms": ["RS256"])");
      return;
    }
    for (const Node* each : texts(written)) {
      const auto* const found =
          std::find(identity::kJwtAlgorithmNames.begin(), identity::kJwtAlgorithmNames.end(), each->text);
      if (found == identity::kJwtAlgorithmNames.end()) continue;
      const auto algorithm = static_cast<JwtAlgorithm>(found - identity::kJwtAlgorithmNames.begin());
      add_once(report_, *each, algorithm, out_.algorithms);
    }
  }

  /// Returns the first listed algorithm that uses this kind of key; null if there is none.
  const JwtAlgorithm* first(With with) const {
    const auto at = std::find_if(out_.algorithms.begin(), out_.algorithms.end(),
                                 [with](JwtAlgorithm each) { return with_of(each) == with; });
    return at == out_.algorithms.end() ? nullptr : &*at;
  }

  /// Reports an error and returns false if no listed algorithm uses this kind of key.
  bool is_for(const Node& key, With with) {
    if (first(with) != nullptr) return true;
    report_.error_at_key(code::kConflict, key,
                         in_quotes(key.key) + " is for " +
                             (with == With::secret ? "HS256, HS384 or HS512" : "RS*, PS*, ES* or EdDSA") +
                             ", and \"algorithms\" lists none of these",
                         std::string("add ") + (with == With::secret ? "\"HS256\"" : "\"RS256\"") +
                             " to \"algorithms\", or remove the key");
    return false;
  }

  /// Checks one key by itself, with only the algorithms for its kind of key.
  void try_alone(const Node& node, With with, identity::JwtKeySource keys) {
    JwtIssuer alone;
    std::copy_if(out_.algorithms.begin(), out_.algorithms.end(), std::back_inserter(alone.algorithms),
                 [with](JwtAlgorithm each) { return with_of(each) == with; });
    alone.keys = std::move(keys);

    // The algorithms that this key does not fit may have their keys in the JWK Set.
    if (const Node* set = text_at(&node_, "jwks")) alone.keys.jwks_file = set->text;
    if (const auto made = JwtKeys::of_configuration(alone); made.has_error())
      report_.error(code::kCredentials, node, made.error());
  }

  void secret() {
    const Node* written = text_at(&node_, "secret");
    if (written == nullptr || !is_for(*written, With::secret)) return;
    out_.keys.secret = written->text;
    identity::JwtKeySource alone;
    alone.secret = written->text;
    try_alone(*written, With::secret, std::move(alone));
  }

  void public_key() {
    const Node* written = text_at(&node_, "public_key");
    if (written == nullptr || written->text.empty() || !is_for(*written, With::public_key)) return;
    auto file = read_text_file(written->text);
    if (!file.text) {
      report_.error(code::kCredentials, *written,
                    "the public key " + in_quotes(written->written) + " cannot be read: " + file.why_not,
                    "name a PEM file that starts with -----BEGIN PUBLIC KEY-----");
      return;
    }
    out_.keys.public_key_pem = *file.text;
    identity::JwtKeySource alone;
    alone.public_key_pem = std::move(*file.text);
    try_alone(*written, With::public_key, std::move(alone));
  }

  void jwk_set() {
    const Node* written = text_at(&node_, "jwks");
    const bool fetched = written != nullptr && is_url(written->text);
    if (!fetched) {
      for (const char* key : {"jwks_ca", "refresh", "refetch", "fetch_timeout"})
        without_effect(key, "no \"jwks\" is fetched from an address");
    }
    if (written == nullptr || written->text.empty()) return;
    fetched ? jwk_set_url(*written) : jwk_set_file(*written);
  }

  void without_effect(const char* key, const std::string& why) {
    if (const Node* useless = find(&node_, key))
      report_.warning_at_key(code::kNoEffect, *useless, in_quotes(key) + " has no effect: " + why, "remove it");
  }

  void jwk_set_url(const Node& written) {
    const auto url = keyring::parse_url(written.text);
    if (url.has_error()) return;  // reported already
    out_.keys.jwks_url = written.text;
    if (url->scheme == keyring::Scheme::https) return authorities();
    without_effect("jwks_ca", "\"jwks\" is not fetched over https://");
    const bool near = url->host == "localhost" || url->host == "127.0.0.1" || url->host == "::1";
    if (near) return;
    report_.warning(
        code::kUnverified, written,
        "http:// does not verify the server: anyone on the network path can replace the keys and sign tokens",
        "write https://");
  }

  void authorities() {
    const Node* written = text_at(&node_, "jwks_ca");
    if (written == nullptr || written->text.empty()) return;
    out_.keys.jwks_ca = written->text;
    if (const auto checked = keyring::check_authorities(written->text); checked.has_error()) {
      // The message must not repeat the path, because it may have come from a placeholder.
      const auto why = checked.error().substr(written->text.size() + 1);
      report_.error(code::kCredentials, *written, "the authorities file " + in_quotes(written->written) + why,
                    "name a PEM file that starts with -----BEGIN CERTIFICATE-----");
    }
  }

  void jwk_set_file(const Node& written) {
    out_.keys.jwks_file = written.text;
    const auto file = read_text_file(written.text);
    if (!file.text) {
      report_.error(code::kCredentials, written,
                    "the JWK Set " + in_quotes(written.written) + " cannot be read: " + file.why_not,
                    R"(name a JSON file with "keys", or an https:// address)");
    } else if (const auto made = JwtKeys::of_jwk_set(*file.text, out_.algorithms); made.has_error()) {
      auto fault = fault_and_help(made.error());
      report_.error(code::kCredentials, written,
                    "the JWK Set " + in_quotes(written.written) + " cannot be used: " + fault.message,
                    std::move(fault.help));
    }
  }

  void demand_keys() {
    const Node* list = find(&node_, "algorithms");
    if (find(&node_, "jwks") != nullptr) return;
    if (const auto* shared = first(With::secret); shared != nullptr && find(&node_, "secret") == nullptr)
      report_.error(code::kCredentials, *list, name_of(*shared) + " needs \"secret\"",
                    R"(add "secret": "${JWT_SECRET}")");
    if (const auto* pair = first(With::public_key); pair != nullptr && find(&node_, "public_key") == nullptr)
      report_.error(code::kCredentials, *list, name_of(*pair) + " needs \"public_key\" or \"jwks\"",
                    R"(add "public_key": "/etc/headgate/jwt.pem")");
  }

  Report& report_;
  const Node& node_;
  JwtIssuer out_;
};

constexpr std::string_view kIssuerKeys[] = {"issuer", "audience", "algorithms",   "secret",  "public_key",
                                            "jwks",   "jwks_ca",  "refresh",      "refetch", "types",
                                            "leeway", "max_age",  "fetch_timeout"};

void build_issuers(Build& build, const Node& jwt, const Node& issuers) {
  for (const auto key : kIssuerKeys) {
    if (const Node* beside = find(&jwt, key))
      build.report.error_at_key(code::kConflict, *beside,
                                in_quotes(key) + " belongs to a single issuer, but there are \"issuers\"",
                                "write it in each of them");
  }
  auto& out = build.config.identity.jwt->issuers;
  std::map<std::string, const Node*> seen;
  for (const Node* each : children(&issuers, Kind::list)) {
    if (each->kind != Kind::object) continue;
    out.push_back(IssuerBuilder(build, *each).run());
    const Node* name = text_at(each, "issuer");
    if (name == nullptr || name->text.empty()) {
      if (issuers.children.size() > 1)
        build.report.error(code::kMissing, {each->span.begin, each->span.begin + 1}, pointer(*each),
                           "\"issuer\" is missing here, so no token can be matched to this issuer",
                           R"(add "issuer": "https://login.example.com/")");
      continue;
    }
    const auto [first, fresh] = seen.emplace(name->text, name);
    if (!fresh)
      build.report.error(code::kDuplicate, *name,
                         "another issuer has the same name, at " + build.report.place(first->second->span.begin),
                         "put the keys of one issuer into one JWK Set");
  }
}

void build_claim_headers(const Node* written, identity::JwtOptions& out) {
  for (const Node* each : children(written, Kind::object)) {
    if (each->kind == Kind::string) out.claim_headers.emplace_back(each->key, each->text);
  }
}

}  // namespace

void build_jwt(Build& build, const Node& jwt) {
  auto& out = build.config.identity.jwt.emplace();
  if (const Node* issuers = find(&jwt, "issuers"); issuers != nullptr)
    build_issuers(build, jwt, *issuers);
  else
    out.issuers.push_back(IssuerBuilder(build, jwt).run());
  if (const Node* header = text_at(&jwt, "header")) out.header = lower(header->text);
  fill(&jwt, kJwt, out);
  build_claim_headers(find(&jwt, "claim_headers"), out);
}

}  // namespace headgate::config
