// The table of ingress-nginx's annotations, and the remarks on annotations that nothing else reads.

#include "translate/ingress/work.hpp"
#include "translate/words.hpp"

#include <array>

namespace headgate::translate {
namespace {

// reason for annotations that cannot keep callers out and are not in the table
constexpr std::string_view kUnread = "headgate import does not know it";

constexpr std::array kAnnotations{
    ImportWord{.name = "limit-rps", .becomes = "rate, burst"},
    ImportWord{.name = "limit-rpm", .becomes = "rate, burst"},
    ImportWord{.name = "limit-connections", .becomes = "in_flight"},
    ImportWord{.name = "limit-whitelist", .becomes = "exempt"},
    ImportWord{.name = "limit-allowlist", .becomes = "exempt"},
    ImportWord{.name = "limit-burst-multiplier", .becomes = "burst"},
    ImportWord{.name = "rewrite-target", .becomes = "rewrite"},
    ImportWord{.name = "use-regex", .becomes = "path_matches"},
    ImportWord{.name = "ssl-redirect", .becomes = "redirect_to_https"},
    ImportWord{.name = "force-ssl-redirect", .becomes = "redirect_to_https"},
    ImportWord{.name = "proxy-body-size", .becomes = "max_body"},
    ImportWord{.name = "proxy-read-timeout", .becomes = "timeout, between_bytes"},
    ImportWord{.name = "proxy-connect-timeout", .becomes = "connect_timeout"},
    ImportWord{.name = "backend-protocol", .becomes = "tls, protocol"},
    ImportWord{.name = "upstream-vhost", .becomes = "host_header"},
    ImportWord{.name = "enable-cors", .becomes = "cors"},
    ImportWord{.name = "cors-allow-origin", .becomes = "cors"},
    ImportWord{.name = "cors-allow-methods", .becomes = "cors"},
    ImportWord{.name = "cors-allow-headers", .becomes = "cors"},
    ImportWord{.name = "cors-allow-credentials", .becomes = "cors"},
    ImportWord{.name = "whitelist-source-range", .becomes = "addresses"},
    ImportWord{.name = "allowlist-source-range", .becomes = "addresses"},
    ImportWord{.name = "denylist-source-range", .becomes = "addresses"},
    ImportWord{.name = "permanent-redirect", .becomes = "redirect"},
    ImportWord{.name = "temporal-redirect", .becomes = "redirect"},
    ImportWord{.name = "auth-url", .becomes = "auth"},
    ImportWord{.name = "auth-response-headers", .becomes = "auth"},
    ImportWord{.name = "auth-always-set-cookie", .becomes = "auth"},
    ImportWord{"limit-rate", Matter::lost, "headgate limits requests, not bytes per second"},
    ImportWord{"limit-rate-after", Matter::lost, "headgate limits requests, not bytes per second"},
    ImportWord{"canary", Matter::lost, "write several upstreams in \"to\", with \"weight\""},
    ImportWord{"auth-signin", Matter::lost, "the auth service itself must redirect callers to the sign-in page"},
    ImportWord{"auth-method", Matter::lost, "headgate only asks an auth service with GET"},
    ImportWord{"auth-cache-key", Matter::lost, "write \"remember\" in \"auth\""},
    ImportWord{"auth-cache-duration", Matter::lost, "write \"remember\" in \"auth\""},
    ImportWord{"auth-snippet", Matter::closed, "it is nginx's own language: write what protects the route"},
    ImportWord{"auth-type", Matter::closed,
               "the users are in the cluster: write them into a file, and \"basic\" with this file in the route"},
    ImportWord{"auth-tls-secret", Matter::closed,
               "write \"client_ca\" in \"tls\" of a listener, and \"require\": \"mtls\" in the route"},
    ImportWord{"configuration-snippet", Matter::closed, "it is nginx's own language: write what protects the route"},
    ImportWord{"server-snippet", Matter::closed, "it is nginx's own language: write what protects the route"},
    ImportWord{"satisfy", Matter::lost, "headgate's conditions must all hold"},
    ImportWord{"proxy-send-timeout", Matter::aside,
               "headgate gives up on a server that takes no byte for \"timeouts\": { \"write\" }"},
    ImportWord{"proxy-buffering", Matter::aside, "headgate passes bodies on as they arrive"},
    ImportWord{"proxy-buffer-size", Matter::aside, "headgate passes bodies on as they arrive"},
    ImportWord{"proxy-request-buffering", Matter::aside, "headgate passes bodies on as they arrive"},
    ImportWord{"affinity", Matter::lost,
               "headgate sets no cookie that leads back to a server; see \"consistent_hash\" in \"balance\""},
    ImportWord{"proxy-*", Matter::lost, kUnread},
    ImportWord{"upstream-*", Matter::lost, kUnread},
    ImportWord{"affinity*", Matter::lost, kUnread},
    ImportWord{"session-cookie*", Matter::lost, kUnread},
    ImportWord{"canary*", Matter::lost, kUnread},
    ImportWord{"custom-http-errors*", Matter::lost, kUnread},
    ImportWord{"default-backend*", Matter::lost, kUnread},
    ImportWord{"custom-headers*", Matter::lost, kUnread},
    ImportWord{"client-body-buffer-size*", Matter::lost, kUnread},
    ImportWord{"connection-proxy-header*", Matter::lost, kUnread},
    ImportWord{"enable-access-log*", Matter::lost, kUnread},
    ImportWord{"enable-rewrite-log*", Matter::lost, kUnread},
    ImportWord{"enable-opent*", Matter::lost, kUnread},
    ImportWord{"opent*", Matter::lost, kUnread},
    ImportWord{"server-alias*", Matter::lost, kUnread},
    ImportWord{"app-root*", Matter::lost, kUnread},
    ImportWord{"from-to-www-redirect*", Matter::lost, kUnread},
    ImportWord{"preserve-trailing-slash*", Matter::lost, kUnread},
    ImportWord{"mirror-*", Matter::lost, kUnread},
    ImportWord{"x-forwarded-prefix*", Matter::lost, kUnread},
    ImportWord{"load-balance*", Matter::lost, kUnread},
    ImportWord{"service-upstream*", Matter::lost, kUnread},
    ImportWord{"ssl-ciphers*", Matter::lost, kUnread},
    ImportWord{"ssl-prefer*", Matter::lost, kUnread},
    ImportWord{"http2-push*", Matter::lost, kUnread},
    ImportWord{"auth-signin*", Matter::lost, kUnread},
    ImportWord{"auth-method*", Matter::lost, kUnread},
    ImportWord{"auth-cache*", Matter::lost, kUnread},
    ImportWord{"auth-proxy-set-headers*", Matter::lost, kUnread},
    ImportWord{"auth-request-redirect*", Matter::lost, kUnread},
    ImportWord{"auth-keepalive*", Matter::lost, kUnread},
    ImportWord{"auth-realm*", Matter::lost, kUnread},
    ImportWord{"auth-secret*", Matter::lost, kUnread},
    ImportWord{"auth-tls-*", Matter::lost, kUnread},
    ImportWord{"cors-*", Matter::lost, kUnread},
    ImportWord{"limit-*", Matter::lost, kUnread}};

}  // namespace

std::span<const ImportWord> ingress_words() { return kAnnotations; }

void say_annotations(IngressWork& work, IngressObject& object) {
  for (const auto& [name, node] : object.annotations) {
    const auto* const known = find_word(kAnnotations, name);
    if (known == nullptr)
      object.closing.push_back({Matter::closed, node->spot, name,
                                "headgate import does not know it: write what protects the route, or take it out"});
    else if (!known->becomes.empty())
      continue;
    else if (known->matter == Matter::closed)
      object.closing.push_back({Matter::closed, node->spot, name, std::string(known->why)});
    else
      work.draft.say(known->matter, node->spot, name + ": " + node->text, std::string(known->why));
  }
  // Removed, so that the importer does not read an annotation that the table lacks.
  std::erase_if(object.annotations, [](const auto& each) { return find_word(kAnnotations, each.first) == nullptr; });
}

}  // namespace headgate::translate
