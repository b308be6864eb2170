// TLS of connections that headgate makes.

#include "config/tls/client.hpp"

#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/net/tls/tls_context.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace headgate::config {
namespace {

constexpr Shape kServerName = text("a name", check_server_name);
constexpr Key kClientTlsKeys[] = {
    {"ca", &kFilePath, "", R"("/etc/headgate/ca.pem")",
     "PEM file of the trusted authorities. Default: those of the system", into<&net::TlsOptions::ca>},
    {"certificate", &kFilePath, "", R"("/etc/headgate/gateway.pem")",
     "PEM file of the gateway's own certificate chain, if the server requires one",
     into<&net::TlsOptions::certificate>},
    {"key", &kFilePath, "", R"("/etc/headgate/gateway-key.pem")", "PEM file of its key", into<&net::TlsOptions::key>},
    {"server_name", &kServerName, "", R"("api.internal")",
     "Name that the server's certificate must have. Default: the host that headgate connects to",
     into<&net::TlsOptions::server_name>},
    {"verify", &kBoolean, kOfOptions, "true", "`false` accepts any certificate: only for tests",
     into<&net::TlsOptions::verify>},
};

}  // namespace

constexpr Section kRedisTlsSection{"redis_tls", "redis.tls", "TLS to Redis and its Sentinels.", kClientTlsKeys};
constexpr Section kUpstreamTlsSection{"upstream_tls", "upstreams.<name>.tls", "TLS to servers with `https://`.",
                                      kClientTlsKeys};

namespace {

class ClientTlsBuilder {
 public:
  ClientTlsBuilder(Report& report, const Node& written, net::TlsOptions& out, const ClientTlsTexts& texts)
      : report_(report), written_(written), out_(out), texts_(texts) {}

  void run() {
    fill(&written_, kUpstreamTlsSection, out_);
    const std::array<const char*, 3> files{"ca", "certificate", "key"};
    const auto readable = std::count_if(files.begin(), files.end(), [&](auto key) { return check_file(key); });
    if (readable == std::ssize(files)) check_contents();
    demand_other("certificate", "key", "-key.pem");
    demand_other("key", "certificate", ".pem");
    if (out_.verify) return;
    report_.warning_at_key(code::kUnverified, *find(&written_, "verify"), std::string(texts_.accepted),
                           "remove it, and name the authority: \"ca\": " + in_quotes(example("-ca.pem")));
  }

 private:
  std::string example(const char* ending) const { return "/etc/headgate/" + std::string(texts_.name) + ending; }

  /// Checks that the file can be read. Returns true also if the key names no file.
  bool check_file(const char* key) {
    const Node* node = text_at(&written_, key);
    if (node == nullptr || node->text.empty()) return true;
    const auto file = read_text_file(node->text);
    if (file.text) return true;
    report_.error(code::kCredentials, *node,
                  "the file " + in_quotes(node->written) + " cannot be read: " + file.why_not,
                  "name a PEM file that starts with -----BEGIN");
    return false;
  }

  // Checks the file of authorities by itself first, so that a mistake is reported at the right key.
  void check_contents() {
    const Node* ca = text_at(&written_, "ca");
    const Node* certificate = text_at(&written_, "certificate");
    net::TlsOptions authorities;
    authorities.ca = out_.ca;
    if (ca != nullptr && !check_with(*ca, authorities)) return;
    if (certificate != nullptr && !out_.key.empty()) check_with(*certificate, out_);
  }

  bool check_with(const Node& node, const net::TlsOptions& tls) {
    const auto made = net::TlsContext::of_client(tls);
    if (!made.has_error()) return true;
    report_.error(code::kCredentials, node, as_written(made.error()), "name a PEM file that starts with -----BEGIN");
    return false;
  }

  /// Returns the reason without paths, because a path may be the value of a placeholder, which must not be shown.
  std::string as_written(std::string reason) const {
    for (const auto* key : {"ca", "certificate", "key"}) {
      const Node* node = text_at(&written_, key);
      if (node == nullptr || !node->replaced || node->text.empty()) continue;
      auto at = reason.find(node->text);
      while (at != std::string::npos) {
        reason.replace(at, node->text.size(), node->written);
        at = reason.find(node->text, at + node->written.size());
      }
    }
    return reason;
  }

  void demand_other(const char* key, const char* other, const char* ending) {
    const Node* one = find(&written_, key);
    if (one == nullptr || find(&written_, other) != nullptr) return;
    report_.error_at_key(code::kConflict, *one, in_quotes(key) + " needs " + in_quotes(other),
                         "add " + in_quotes(other) + ": " + in_quotes(example(ending)));
  }

  Report& report_;
  const Node& written_;
  net::TlsOptions& out_;
  const ClientTlsTexts& texts_;
};

}  // namespace

void build_client_tls(Report& report, const Node& written, net::TlsOptions& out, const ClientTlsTexts& texts) {
  ClientTlsBuilder(report, written, out, texts).run();
}

}  // namespace headgate::config
