// Builds the options for the identity of callers from the keys of the file.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

namespace headgate::config {
namespace {

constexpr Shape kFailureRate{.form = Shape::Form::rate, .what = "a rate"};
constexpr Shape kFailureBurst = integer(1, 1'000'000'000);
constexpr Key kFailuresKeys[] = {
    {"rate", &kFailureRate, "60/minute", R"("60/minute")", "Allowed failures of one address"},
    {"burst", &kFailureBurst, "", "60", "Failures allowed at once. Default: the count of `rate`",
     into<&identity::FailureLimit::burst>},
};
constexpr Section kFailures{
    "failures", "identity.failures",
    "Limit on failed authentication per client address, checked before signatures are; `\"off\"` disables it.",
    kFailuresKeys};
constexpr Shape kFailuresObject = section(kFailures);
constexpr Shape kFailuresWord = choice(kAdminWords);
constexpr const Shape* kFailuresForms[] = {&kFailuresObject, &kFailuresWord};
constexpr Shape kFailuresShape = either("an object or \"off\"", kFailuresForms);

constexpr std::string_view kProxyFieldsFallback =
    R"(["X-Forwarded-*", "X-Original-URL", "X-Original-URI", "X-Original-Host", "X-Original-Forwarded-For", )"
    R"("X-Rewrite-URL", "X-HTTP-Host-Override", "X-Url-Scheme", "X-Script-Name", "Script-Name", "Path-Info", )"
    R"("X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP", "CF-Connecting-IPv6", )"
    R"("Fastly-Client-IP", "Fly-Client-IP", "X-Envoy-*", "X-SSL-*", "SSL-Client-*", "Front-End-Https", )"
    R"("Remote-User", "X-Remote-User", "Proxy", "Headgate-Mirror", )"
    R"("X-Consumer", "X-Consumer-*", "X-Credential-*", "X-Anonymous-Consumer", "X-Authenticated-*"])";
constexpr Shape kNetworks = list("a list of address blocks", kNetwork, 0, 1024);
constexpr Shape kProxyField = text("a field name", check_proxy_field);
constexpr Shape kProxyFieldList = list("a list of field names", kProxyField, 0, 256);
constexpr Shape kIpv6Prefix = integer(1, 128);
constexpr WordsUpTo<identity::AddressField::x_real_ip> kAddressFields({"X-Forwarded-For", "Forwarded", "X-Real-IP"});
constexpr Shape kAddressFrom = choice(kAddressFields);
constexpr WordsUpTo<identity::CertificatePart::sha256> kCertificateParts({"subject", "san", "sha256"});
constexpr Shape kCertificatePart = choice(kCertificateParts);
constexpr Shape kCertificateHeaders =
    map("an object of a certificate's parts by field name", kCertificatePart, 0, check_field_name);
constexpr Key kIdentityKeys[] = {
    {"trusted_proxies", &kNetworks, "[]", R"(["10.0.0.0/8"])",
     "Proxies that may report the client's address, in `address_from` or by the PROXY protocol"},
    {"address_from", &kAddressFrom, kOfOptions, R"("Forwarded")",
     "The only field from which the client's address is read; all trusted proxies must write this one",
     into<&identity::IdentityOptions::address_field>},
    {"proxy_fields", &kProxyFieldList, kProxyFieldsFallback, R"(["X-Forwarded-*", "X-Original-URL", "Proxy"])",
     "Fields accepted only from trusted proxies and removed from all other requests, also when written with `_` for "
     "`-`. `*` at the end matches any rest. A list here replaces the default"},
    {"ipv6_prefix", &kIpv6Prefix, kOfOptions, "64",
     "Prefix length in bits: IPv6 addresses with the same prefix are one client",
     into<&identity::IdentityOptions::ipv6_prefix>},
    {"api_key", &kApiKeyShape, "", R"({ "file": "/etc/headgate/api-keys.json" })",
     "Where API keys are found, and which are known"},
    {"jwt", &kJwtShape, "", R"({ "algorithms": ["HS256"], "secret": "${JWT_SECRET}" })", "How tokens are verified"},
    {"certificate_headers", &kCertificateHeaders, "{}", R"({ "X-Client-Subject": "subject" })",
     "Request fields that tell the server the `subject`, `san` or `sha256` of a verified client certificate. Fields of "
     "these names from clients are removed on every route"},
    {"failures", &kFailuresShape, "", R"({ "rate": "60/minute" })",
     "How often authentication may fail per client address"},
};

}  // namespace

constexpr Section kIdentitySection{
    "identity", "identity", "How callers are identified. `per` of a limit can use each of these.", kIdentityKeys};

namespace {

/// Returns the field in which proxies name the client's address.
std::string field_of(const Node* identity) {
  const Node* written = text_at(identity, "address_from");
  return std::string(written == nullptr ? kAddressFields[0] : std::string_view(written->text));
}

void build_proxies(Build& build, const Node* identity) {
  const Node* written = find(identity, "trusted_proxies");
  if (written != nullptr && written->kind == Kind::list && written->children.empty()) {
    build.report.warning(code::kProxies, *written,
                         field_of(identity) +
                             " is ignored: \"trusted_proxies\" is empty, so behind a load balancer "
                             "all callers have its address",
                         R"(write the load balancer's block, as in ["10.0.0.0/8"], or leave the key out)");
  }
  for (const Node* each : texts(written)) {
    const auto network = identity::parse_network(each->text);
    if (network.has_error()) continue;
    if (std::visit([](const auto& block) { return block.prefix_length() == 0; }, *network)) {
      build.report.warning(code::kProxies, *each, "everybody is trusted here, so any caller may claim any address",
                           "name only your own load balancers, as in \"10.0.0.0/8\"");
    }
    build.config.identity.trusted_proxies.push_back(*network);
  }
}

/// Warns about settings that need trusted proxies, if no proxy is trusted.
void check_hops(Build& build, const Node* identity) {
  if (!build.config.identity.trusted_proxies.empty()) return;
  const std::string help = R"(name the load balancer's block: "identity": { "trusted_proxies": ["10.0.0.0/8"] })";
  if (const Node* field = text_at(identity, "address_from")) {
    build.report.warning_at_key(code::kNoEffect, *field,
                                "\"address_from\" has no effect: no proxy is trusted to name the client address", help);
  }
  const Node* listen = find(&build.root, "listen");
  auto listeners = children(listen, Kind::list);
  if (listen != nullptr && listen->kind == Kind::object) listeners.push_back(listen);
  for (const Node* each : listeners) {
    bool wanted = false;
    read(each, "proxy_protocol", wanted);
    if (!wanted) continue;
    build.report.warning_at_key(code::kProxies, *find(each, "proxy_protocol"),
                                "no PROXY header is accepted here: no proxy is trusted", help);
  }
}

void build_proxy_fields(Build& build, const Node* identity) {
  const Node* written = find(identity, "proxy_fields");
  if (written == nullptr || written->kind != Kind::list) return;
  auto& out = build.config.gateway.proxy_fields;
  out.clear();
  for (const Node* each : texts(written)) out.push_back(each->text);
}

void build_certificate_headers(Build& build, const Node* identity) {
  for (const Node* each : children(find(identity, "certificate_headers"), Kind::object)) {
    const auto word = std::find(kCertificateParts.begin(), kCertificateParts.end(), each->text);
    if (word == kCertificateParts.end()) continue;  // reported already
    const auto part = static_cast<identity::CertificatePart>(word - kCertificateParts.begin());
    build.config.identity.certificate_headers.emplace_back(each->key, part);
  }
}

/// Checks the limit on failures by making the rule that it becomes.
void check_failures(Build& build, const Node& written) {
  const auto& failures = *build.config.identity.failures;
  if (failures.burst == 0) return;  // reported already
  limit::Rule rule;
  rule.rate = failures.rate;
  rule.burst = failures.burst;
  rule.algorithm = limit::find_algorithm(limit::kDefaultAlgorithm);
  if (const auto fault = rule.algorithm->check(rule)) {
    const Node* rate = find(&written, "rate");
    build.report.error(code::kAlgorithm, rate == nullptr ? written : *rate, fault->message, fault->help);
  }
}

void build_failures(Build& build, const Node* identity) {
  auto& out = build.config.identity;
  const Node* written = find(identity, "failures");
  if (written == nullptr) return;
  if (written->kind == Kind::string && written->text == "off") return out.failures.reset();
  if (const Node* rate = text_at(written, "rate")) {
    if (const auto read = parse_rate(rate->text); read.has_value()) {
      out.failures->rate = *read;
      out.failures->burst = read->count;
    }
  }
  fill(written, kFailures, *out.failures);
  check_failures(build, *written);
}

}  // namespace

void build_identity(Build& build) {
  const Node* identity = find(&build.root, "identity");
  build_proxies(build, identity);
  build_proxy_fields(build, identity);
  build_certificate_headers(build, identity);
  build_failures(build, identity);
  build_api_keys(build, find(identity, "api_key"));
  if (const Node* jwt = find(identity, "jwt"); jwt != nullptr && jwt->kind == Kind::object) build_jwt(build, *jwt);
  check_hops(build, identity);
  check_places(build, identity);
}

}  // namespace headgate::config
