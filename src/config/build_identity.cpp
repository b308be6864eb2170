#include "build.hpp"
#include "codes.hpp"
#include "formats.hpp"
#include "table.hpp"
#include "values.hpp"

#include "headgate/identity/network.hpp"

#include <variant>

namespace headgate::config {
namespace {

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

void build_failures(const Node* identity, identity::Options& out) {
  const Node* written = find(identity, "failures");
  if (written == nullptr) return;
  if (written->kind == Kind::string && written->text == "off") return out.failures.reset();
  if (const Node* rate = text_at(written, "rate")) {
    if (const auto read = parse_rate(rate->text); read.has_value()) {
      out.failures->rate = *read;
      out.failures->burst = read->count;
    }
  }
  read_number(written, "burst", out.failures->burst);
}

}  // namespace

void build_identity(Build& build) {
  const Node* identity = find(&build.root, "identity");
  auto& out = build.config.identity;
  build_proxies(build, identity);
  read_choice(identity, "address_from", kAddressFields, out.address_field);
  read_number(identity, "ipv6_prefix", out.ipv6_prefix);
  build_failures(identity, out);
  build_api_keys(build, find(identity, "api_key"));
  if (const Node* jwt = find(identity, "jwt"); jwt != nullptr && jwt->kind == Kind::object) build_jwt(build, *jwt);
}

}  // namespace headgate::config
