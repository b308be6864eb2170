// The configuration that `headgate init` writes.

#include "starter.hpp"

#include "headgate/config/layout.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::cli {
namespace {

using Callers = StarterCallers;

/// The answers were checked and contain no character that a JSON string must escape.
std::string in_json(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string listen(const StarterAnswers& answers, const StarterNames& names) {
  if (!answers.tls) return "\"listen\": \":8080\",\n\n";
  return "// A certificate to try with: callers believe it only if they are told to. docs/tls.md says what comes "
         "next.\n"
         "\"listen\": { \"address\": \":8443\", \"tls\": { \"certificate\": " +
         in_json(names.certificate) + ", \"key\": " + in_json(names.key) + " } },\n\n";
}

std::string identity(Callers callers) {
  switch (callers) {
    case Callers::anyone:
      return "";
    case Callers::keys:
      return "\"identity\": {\n\"api_key\": {\n\"header\": \"X-API-Key\",\n"
             "// The default keys are public: only for trying. `headgate keys new --owner acme --file api-keys.json`\n"
             "// makes real ones; then write \"file\": \"api-keys.json\" in place of \"keys\".\n"
             "\"keys\": {\n"
             "\"acme\":   { \"key\": \"${ACME_KEY:-acme-only-for-trying-0123456789}\" },\n"
             "\"globex\": { \"key\": \"${GLOBEX_KEY:-globex-only-for-trying-0123456789}\" }\n}\n}\n},\n\n";
    case Callers::tokens:
      break;
  }
  return "\"identity\": {\n\"jwt\": {\n"
         "// Who signs your tokens. With RS256 or ES256: \"jwks\": "
         "\"https://login.example.com/.well-known/jwks.json\".\n"
         "\"algorithms\": [\"HS256\"],\n"
         "// Set HEADGATE_JWT_SECRET to your own 32 bytes or more. The default is public: only for trying.\n"
         "\"secret\":     \"${HEADGATE_JWT_SECRET:-only-for-trying-things-out-0123456789}\"\n}\n},\n\n";
}

std::string redis(unsigned gateways) {
  if (gateways < 2) return "";
  return "\"instance\": \"${HOSTNAME:-headgate}\",  // tells the gateways apart in logs and Via\n\n"
         "// Counters that all gateways share. While Redis is down each of them grants its part.\n"
         "\"redis\": { \"url\": \"${REDIS_URL:-redis://127.0.0.1:6379}\", \"instances\": " +
         std::to_string(gateways) + " },\n\n";
}

std::string upstreams(const std::vector<std::string>& servers) {
  std::vector<std::string> urls;
  urls.reserve(servers.size());
  for (const auto& each : servers) urls.push_back(in_json(each));
  const auto all = joined(urls, ", ");
  return "\"upstreams\": { \"app\": " + (urls.size() == 1 ? all : "{ \"servers\": [" + all + "] }") + " },\n\n";
}

/// Returns the limit on requests of one address that applies before a credential is checked. It is large enough for
/// several callers with that address.
std::string flood(const StarterAnswers& answers, std::uint64_t times) {
  const auto count = parse_rate(answers.rate)->count;
  return "// Counted before a credential is looked at, so that a flood of false ones costs nothing else.\n"
         "\"flood\": { \"rate\": \"50/second\", \"burst\": " +
         std::to_string(std::max<std::uint64_t>(100, 2 * times * count)) + ", \"per\": \"client_ip\"" +
         (answers.gateways > 1 ? ", \"store\": \"memory\"" : "") + " },\n\n";
}

std::string limits(const StarterAnswers& answers) {
  std::string out = "\"limits\": {\n";
  switch (answers.callers) {
    case Callers::anyone:
      out +=
          "// Each address: so much on average, and one period's worth at once.\n"
          "\"per-ip\": { \"rate\": " +
          in_json(answers.rate) + ", \"per\": \"client_ip\" }\n";
      break;
    case Callers::keys:
      out += flood(answers, 1) +
             "// The owner of a key, from wherever it calls.\n"
             "\"per-key\": { \"rate\": " +
             in_json(answers.rate) + ", \"per\": \"api_key\" }\n";
      break;
    case Callers::tokens:
      auto larger = *parse_rate(answers.rate);
      larger.count *= 10;
      out += flood(answers, 10) +
             "// A customer has the plan that its token names, and shares it among its users.\n"
             "\"plan\": {\n\"per\":       \"jwt.org_id\",\n\"tier_from\": \"jwt.plan\",\n\"tiers\": {\n"
             "\"free\": { \"rate\": " +
             in_json(answers.rate) + " },\n\"pro\":  { \"rate\": " + in_json(to_text(larger)) +
             " }\n},\n\"default_tier\": \"free\"\n}\n";
      break;
  }
  return out + "},\n\n";
}

std::string routes(Callers callers) {
  constexpr const char* kHealth =
      "// The load balancer asks here whether this gateway is there.\n"
      "{ \"name\": \"health\", \"path\": \"/healthz\", \"respond\": { \"body\": \"ok\\n\" } },\n\n";
  switch (callers) {
    case Callers::anyone:
      return std::string("\"routes\": [\n") + kHealth +
             "{ \"name\": \"app\", \"path\": \"/*\", \"to\": \"app\", \"limits\": [\"per-ip\"] }\n]\n";
    case Callers::keys:
      return std::string("\"routes\": [\n") + kHealth +
             "// Without a known key: 401.\n"
             "{ \"name\": \"app\", \"path\": \"/*\", \"to\": \"app\", \"require\": \"api_key\", \"limits\": "
             "[\"flood\", "
             "\"per-key\"] }\n]\n";
    case Callers::tokens:
      break;
  }
  return std::string("\"routes\": [\n") + kHealth +
         "// Without a valid token: 401.\n"
         "{ \"name\": \"app\", \"path\": \"/*\", \"to\": \"app\", \"require\": \"jwt\", \"limits\": [\"flood\", "
         "\"plan\"] }\n]\n";
}

}  // namespace

std::string starter_config(const StarterAnswers& answers, const StarterNames& names) {
  const std::string text =
      "// Written by `headgate init`. docs/configuration.md describes every key; `headgate check`\n"
      "// says what this means, and `headgate test` whether it still does what its test says.\n"
      "{\n" +
      listen(answers, names) + identity(answers.callers) + redis(answers.gateways) + upstreams(answers.servers) +
      limits(answers) + routes(answers.callers) + "}\n";
  return config::lay_out(text).text.value_or(text);
}

}  // namespace headgate::cli
