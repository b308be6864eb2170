// The tables of Traefik's matchers and middlewares.

#include "known.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace headgate::translate {
namespace {

constexpr std::array kMatchers{ImportWord{.name = "Host", .becomes = "host"},
                               ImportWord{.name = "HostRegexp", .becomes = "host"},
                               ImportWord{.name = "Path", .becomes = "path"},
                               ImportWord{.name = "PathPrefix", .becomes = "path"},
                               ImportWord{.name = "PathRegexp", .becomes = "path_matches"},
                               ImportWord{.name = "Method", .becomes = "methods"},
                               ImportWord{.name = "ClientIP", .becomes = "client_ip"},
                               ImportWord{.name = "Headers", .becomes = "headers"},
                               ImportWord{.name = "Header", .becomes = "headers"},
                               ImportWord{.name = "HeadersRegexp", .becomes = "headers"},
                               ImportWord{.name = "HeaderRegexp", .becomes = "headers"},
                               ImportWord{.name = "Query", .becomes = "query"},
                               ImportWord{.name = "QueryRegexp", .becomes = "query"}};

constexpr std::array kMiddlewares{
    ImportWord{.name = "rateLimit", .becomes = "limits"},
    ImportWord{.name = "inFlightReq", .becomes = "in_flight"},
    ImportWord{.name = "stripPrefix", .becomes = "rewrite"},
    ImportWord{.name = "addPrefix", .becomes = "rewrite"},
    ImportWord{.name = "replacePath", .becomes = "rewrite"},
    ImportWord{.name = "headers", .becomes = "request_headers, response_headers, cors"},
    ImportWord{.name = "buffering", .becomes = "max_body"},
    ImportWord{.name = "retry", .becomes = "retry"},
    ImportWord{.name = "compress", .becomes = "compress"},
    ImportWord{.name = "forwardAuth", .becomes = "auth"},
    ImportWord{.name = "basicAuth", .becomes = "basic"},
    ImportWord{.name = "ipAllowList", .becomes = "addresses"},
    ImportWord{.name = "ipWhiteList", .becomes = "addresses"},
    ImportWord{"redirectScheme", Matter::closed, "write \"redirect\" in the route", "redirect_to_https"},
    ImportWord{"chain", Matter::aside, "each middleware of the chain is translated"},
    ImportWord{"contentType", Matter::aside, "headgate passes on the responses of servers, and translates gRPC-Web"},
    ImportWord{"grpcWeb", Matter::aside, "headgate passes on the responses of servers, and translates gRPC-Web"},
    ImportWord{"circuitBreaker", Matter::lost, "write \"circuit\" in the upstream"},
    ImportWord{"errors", Matter::lost, "headgate has error pages for its own answers, and passes on those of servers"},
    ImportWord{"passTLSClientCert", Matter::lost, "see \"certificate_headers\" in \"identity\""},
    ImportWord{"digestAuth", Matter::closed, "write \"basic\" in the route, with a file that htpasswd -B makes"},
    ImportWord{"redirectRegex", Matter::closed, "write \"redirect\" in the route, with \"path_matches\" if it must be"},
    ImportWord{"replacePathRegex", Matter::closed, "headgate rewrites without regular expressions: write \"rewrite\""},
    ImportWord{"stripPrefixRegex", Matter::closed, "headgate rewrites without regular expressions: write \"rewrite\""},
    ImportWord{"plugin", Matter::closed, "headgate has no plugins, and this one may refuse requests"}};

}  // namespace

bool knows_matcher(std::string_view name) {
  return std::ranges::any_of(kMatchers, [&](const ImportWord& each) { return same_word(each.name, name); });
}

const ImportWord* traefik_middleware(std::string_view name) {
  const auto found =
      std::ranges::find_if(kMiddlewares, [&](const ImportWord& each) { return same_word(each.name, name); });
  return found == kMiddlewares.end() ? nullptr : &*found;
}

std::span<const ImportWord> traefik_words() {
  static const std::vector<ImportWord> kAll = [] {
    std::vector<ImportWord> out(kMatchers.begin(), kMatchers.end());
    out.insert(out.end(), kMiddlewares.begin(), kMiddlewares.end());
    return out;
  }();
  return kAll;
}

}  // namespace headgate::translate
