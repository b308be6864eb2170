#include "build.hpp"
#include "codes.hpp"
#include "formats.hpp"
#include "placeholders.hpp"
#include "table.hpp"
#include "values.hpp"

#include "headgate/identity/jwt.hpp"
#include "headgate/identity/network.hpp"

#include <variant>

namespace headgate::config {
namespace {

using identity::JwtAlgorithm;

void build_proxies(Build& build, const Node* identity) {
  const Node* written = find(identity, "trusted_proxies");
  if (written != nullptr && written->kind == Kind::list && written->children.empty()) {
    build.report.warning(code::kProxies, *written,
                         "X-Forwarded-For is ignored: \"trusted_proxies\" is empty, so behind a load balancer every "
                         "caller has its address",
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

void read_public_key(Build& build, const Node& node, std::string& out) {
  auto file = read_text_file(node.text);
  if (file.text) {
    out = std::move(*file.text);
    return;
  }
  build.report.error(code::kCredentials, node,
                     "the public key " + in_quotes(node.written) + " cannot be read: " + file.why_not,
                     "name a PEM file that starts with -----BEGIN PUBLIC KEY-----");
}

// Each algorithm is tried alone, so that the mistake is shown at the key it is about.
void verify_alone(Build& build, const Node& node, JwtAlgorithm algorithm) {
  auto options = build.config.identity.jwt;
  options.algorithms = {algorithm};
  const auto verifier = identity::JwtVerifier::make(options);
  if (verifier.has_error()) build.report.error(code::kCredentials, node, verifier.error());
}

void check_key(Build& build, const Node& jwt, const char* key, JwtAlgorithm algorithm) {
  const std::string name(kJwtAlgorithms[static_cast<std::size_t>(algorithm)]);
  const auto& algorithms = build.config.identity.jwt.algorithms;
  const bool used = std::find(algorithms.begin(), algorithms.end(), algorithm) != algorithms.end();
  const Node* node = find(&jwt, key);
  if (used && node == nullptr) {
    const Node* list = find(&jwt, "algorithms");
    const bool secret = algorithm == JwtAlgorithm::HS256;
    build.report.error(code::kCredentials, *list, name + " needs " + in_quotes(key),
                       secret ? R"(add "secret": "${JWT_SECRET}")" : R"(add "public_key": "/etc/headgate/jwt.pem")");
  } else if (!used && node != nullptr && !algorithms.empty()) {
    build.report.error_at_key(code::kConflict, *node,
                              in_quotes(key) + " is for " + name + ", which \"algorithms\" does not list",
                              "add " + in_quotes(name) + " to \"algorithms\", or remove the key");
  } else if (used && node->kind == Kind::string) {
    const auto& options = build.config.identity.jwt;
    const bool present = algorithm == JwtAlgorithm::HS256 || !options.public_key_pem.empty();
    if (present) verify_alone(build, *node, algorithm);
  }
}

void build_jwt(Build& build, const Node& jwt) {
  auto& options = build.config.identity.jwt;
  build.config.identity.has_jwt = true;
  read(&jwt, "issuer", options.issuer);
  read(&jwt, "audience", options.audience);
  read(&jwt, "secret", options.secret);
  read(&jwt, "leeway", options.leeway);
  if (const Node* key = text_at(&jwt, "public_key"); key != nullptr && !key->text.empty())
    read_public_key(build, *key, options.public_key_pem);
  for (const Node* each : texts(find(&jwt, "algorithms"))) {
    const auto* found = std::find(std::begin(kJwtAlgorithms), std::end(kJwtAlgorithms), each->text);
    if (found == std::end(kJwtAlgorithms)) continue;
    const auto algorithm = static_cast<JwtAlgorithm>(found - std::begin(kJwtAlgorithms));
    if (std::find(options.algorithms.begin(), options.algorithms.end(), algorithm) != options.algorithms.end()) {
      build.report.error(code::kDuplicate, *each, in_quotes(each->text) + " stands twice in this list",
                         "remove one of the two");
      continue;
    }
    options.algorithms.push_back(algorithm);
  }
  check_key(build, jwt, "secret", JwtAlgorithm::HS256);
  check_key(build, jwt, "public_key", JwtAlgorithm::RS256);
}

}  // namespace

void build_identity(Build& build) {
  const Node* identity = find(&build.root, "identity");
  auto& out = build.config.identity;
  build_proxies(build, identity);
  read_number(identity, "ipv6_prefix", out.ipv6_prefix);
  const Node* api_key = find(identity, "api_key");
  if (const Node* header = text_at(api_key, "header")) out.api_key_header = lower(header->text);
  build_api_keys(build, api_key);
  if (const Node* jwt = find(identity, "jwt"); jwt != nullptr && jwt->kind == Kind::object) build_jwt(build, *jwt);
}

}  // namespace headgate::config
