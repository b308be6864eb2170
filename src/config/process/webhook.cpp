// Notifications of an operator over HTTP.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/net/tls/trust.hpp"
#include "headgate/net/url.hpp"
#include "headgate/notify/signature.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr Shape kWebhookUrl = text("a URL", check_webhook_url);
constexpr Shape kWebhookSecret = text("a secret", check_webhook_secret);
constexpr Shape kWebhookSecrets = list("a list of secrets", kWebhookSecret, 1, 4);
constexpr const Shape* kWebhookSecretForms[] = {&kWebhookSecret, &kWebhookSecrets};
constexpr Shape kWebhookSecretOrSecrets = either("a secret or a list of secrets", kWebhookSecretForms);
constexpr Key kWebhookKeys[] = {
    {"url", &kWebhookUrl, "", R"("https://hooks.example.com/headgate")", "URL that receives the POST requests",
     required},
    {"secret", &kWebhookSecretOrSecrets, "", R"("${HEADGATE_WEBHOOK_SECRET}")",
     "Signing secret as in Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. All secrets of a list sign, so "
     "that receivers can change from one to another",
     required},
    {"ca", &kFilePath, "", R"("/etc/headgate/hooks-ca.pem")",
     "PEM file of the trusted authorities. Default: those of the system", into<&notify::WebhookOptions::ca>},
    {"timeout", &kDuration, kOfOptions, R"("5s")", "Maximum duration of an attempt",
     into<&notify::WebhookOptions::timeout>},
};

}  // namespace

constexpr Section kWebhookSection{"webhook", "webhook",
                                  "Reports suspensions and used quotas to a URL, signed; see [webhook.md](webhook.md).",
                                  kWebhookKeys};

namespace {

constexpr unsigned kAttempts = 12;  // spread over about twenty minutes, in which a receiver may restart
constexpr std::string_view kExample = "https://hooks.example.com/headgate";

void check_authorities(Build& build, const Node& written) {
  const auto checked = net::check_authorities(written.text);
  if (!checked.has_error()) return;
  // The message must not repeat the path, because it may have come from a placeholder.
  build.report.error(
      code::kCredentials, written,
      "the authorities file " + in_quotes(written.written) + checked.error().substr(written.text.size() + 1),
      "name a PEM file that starts with -----BEGIN CERTIFICATE-----");
}

}  // namespace

std::optional<LiteralError> check_webhook_url(std::string_view text) {
  const auto url = net::parse_url(text, kExample);
  if (url.has_value()) return std::nullopt;
  return fault_and_help(url.error());
}

std::optional<LiteralError> check_webhook_secret(std::string_view text) {
  const auto secret = notify::read_secret(text);
  if (secret.has_value()) return std::nullopt;
  return fault_and_help(secret.error());
}

void build_webhook(Build& build) {
  const Node* written = find(&build.root, "webhook");
  if (written == nullptr || written->kind != Kind::object) return;
  auto& out = build.config.webhook.emplace();
  out.attempts = kAttempts;
  for (const Node* each : texts(find(written, "secret")))
    if (auto secret = notify::read_secret(each->text); secret.has_value()) out.secrets.push_back(std::move(*secret));
  fill(written, kWebhookSection, out);
  const auto& limits = build.config.limits;
  const auto reports = [](const limit::Limit& limit) { return limit.ban || !limit.notify_at.empty(); };
  if (std::none_of(limits.begin(), limits.end(), reports)) {
    build.report.warning_at_key(code::kUnused, *written,
                                R"(only suspensions by operators are sent: no limit has "ban" or "notify_at")",
                                R"(add "ban": { "after": 20, "for": "10m" } to a limit, or remove it)");
  }
  const Node* text = text_at(written, "url");
  if (text == nullptr) return;
  auto url = net::parse_url(text->text, kExample);
  if (url.has_error()) return;  // reported already
  out.url = std::move(*url);
  const bool near = out.url.host == "localhost" || out.url.host == "127.0.0.1" || out.url.host == "::1";
  if (out.url.scheme == net::Scheme::http && !near) {
    build.report.warning(
        code::kUnverified, *text,
        "http:// does not verify the receiver, and anyone on the network path can read which caller a notice is about",
        "write https://");
  }
  const Node* ca = text_at(written, "ca");
  if (out.url.scheme == net::Scheme::https && ca != nullptr) check_authorities(build, *ca);
  if (out.url.scheme == net::Scheme::http && ca != nullptr)
    build.report.warning_at_key(code::kNoEffect, *ca, "\"ca\" has no effect: \"url\" is not https://", "remove it");
}

}  // namespace headgate::config
