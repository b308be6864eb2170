// What an operator is told over HTTP.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kWebhookUrl = text("a URL", check_webhook_url);
constexpr Shape kWebhookSecret = text("a secret", check_webhook_secret);
constexpr Shape kWebhookSecrets = list("a list of secrets", kWebhookSecret, 1, 4);
constexpr const Shape* kWebhookSecretForms[] = {&kWebhookSecret, &kWebhookSecrets};
constexpr Shape kWebhookSecretOrSecrets = either("a secret or a list of secrets", kWebhookSecretForms);
constexpr Key kWebhookKeys[] = {
    {"url", &kWebhookUrl, "", R"("https://hooks.example.com/headgate")", "Where it is sent with POST", required},
    {"secret", &kWebhookSecretOrSecrets, "", R"("${HEADGATE_WEBHOOK_SECRET}")",
     "What signs it, as Standard Webhooks writes it: `whsec_` and 24 to 64 bytes in base64; with several, each signs, "
     "so "
     "that a receiver can change from one to the next",
     required},
    {"ca", &kFilePath, "", R"("/etc/headgate/hooks-ca.pem")",
     "PEM file of the trusted certificate authorities; default: those of the system"},
    {"timeout", &kDuration, "5s", R"("5s")", "Of one attempt"},
};

}  // namespace

constexpr Section kWebhookSection{
    "webhook", "webhook", "Tells suspensions and used quotas to a URL, signed; see docs/webhook.md.", kWebhookKeys};

}  // namespace headgate::config
