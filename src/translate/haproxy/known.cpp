// The table of HAProxy's directives and rules, and the remarks on lines that nothing else reads.

#include "translate/draft/json.hpp"
#include "translate/haproxy/work.hpp"
#include "translate/words.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace headgate::translate {
namespace {

constexpr std::array kHaproxyFates{
    ImportWord{"log", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"log-format", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"log-tag", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"unique-id-format", Matter::aside, "headgate gives each request an id"},
    ImportWord{"unique-id-header", Matter::aside, "headgate gives each request an id"},
    ImportWord{"capture", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"option forwardfor", Matter::aside, "headgate sends X-Forwarded-For by itself"},
    ImportWord{"option redispatch", Matter::aside, "headgate tries another server when a connection fails"},
    ImportWord{"option", Matter::aside, "it is about HAProxy's own connections and log"},
    ImportWord{"no", Matter::aside, "it is about HAProxy's own connections and log"},
    ImportWord{"retries", Matter::differs, "headgate tries twice in all; see \"retry\" of an upstream"},
    ImportWord{"retry-on", Matter::lost, "see \"retry\" of an upstream"},
    ImportWord{"http-reuse", Matter::aside, "headgate keeps connections to servers and shares them"},
    ImportWord{"errorfile", Matter::aside, "headgate has error pages for its own answers: \"error_pages\""},
    ImportWord{"errorloc", Matter::aside, "headgate has error pages for its own answers: \"error_pages\""},
    ImportWord{"errorfiles", Matter::aside, "headgate has error pages for its own answers: \"error_pages\""},
    ImportWord{"http-error", Matter::aside, "headgate has error pages for its own answers: \"error_pages\""},
    ImportWord{"compression offload", Matter::lost,
               R"(write "request_headers": { "remove": ["Accept-Encoding"] } in the routes)"},
    ImportWord{"compression direction", Matter::lost, "headgate only compresses responses"},
    ImportWord{"compression", Matter::lost, "headgate import does not know it"},
    ImportWord{"stats", Matter::aside, "headgate's admin interface has metrics and a status"},
    ImportWord{"monitor-uri", Matter::lost, "write a route with \"respond\""},
    ImportWord{"description", Matter::aside, "a comment"},
    ImportWord{"id", Matter::aside, "headgate numbers nothing"},
    ImportWord{"backlog", Matter::aside, "headgate uses the largest backlog that the system allows"},
    ImportWord{"fullconn", Matter::aside, "see \"concurrency\" of an upstream"},
    ImportWord{"hash-type", Matter::differs, "headgate's hash is always consistent"},
    ImportWord{"load-server-state-from-file", Matter::aside, "headgate hands its state over in an upgrade"},
    ImportWord{"filter", Matter::lost, "headgate has no filters"},
    ImportWord{"stick", Matter::lost, "see \"consistent_hash\" in \"balance\""},
    ImportWord{"cookie", Matter::lost, "headgate sets no cookie that leads back to a server"},
    ImportWord{"dispatch", Matter::lost, "write the server in \"upstreams\""},
    ImportWord{"use-server", Matter::lost, "headgate only chooses servers by \"balance\""},
    ImportWord{"http-request", Matter::lost, "headgate import does not know this rule"},
    ImportWord{"http-response redirect", Matter::lost, "write a route with \"redirect\""},
    ImportWord{"http-response return", Matter::lost, "write a route with \"respond\""},
    ImportWord{"http-response", Matter::lost, "headgate import does not know this rule"},
    ImportWord{"http-after-response", Matter::lost, "headgate import does not know this rule"},
    ImportWord{"tcp-request inspect-delay", Matter::aside, "headgate reads request headers as they arrive"},
    ImportWord{"tcp-request", Matter::lost, "headgate import does not know this rule"},
    ImportWord{"tcp-response", Matter::lost, "headgate import does not know this rule"},
    ImportWord{"tcp-check", Matter::lost, "a check of headgate is a request or a connection: \"health\""},
    ImportWord{"timeout check", Matter::aside, "see \"timeout\" in \"health\""},
    ImportWord{"timeout tarpit", Matter::aside, "headgate rejects immediately"},
    ImportWord{"timeout client-fin", Matter::aside, "headgate has its own timeouts for this"},
    ImportWord{"timeout server-fin", Matter::aside, "headgate has its own timeouts for this"},
};

constexpr std::array kRead{
    ImportWord{.name = "bind", .becomes = "listen, tls"},
    ImportWord{.name = "acl", .becomes = "host, path, path_matches, methods, headers, client_ip"},
    ImportWord{.name = "use_backend", .becomes = "to"},
    ImportWord{.name = "default_backend", .becomes = "to"},
    ImportWord{.name = "server", .becomes = "servers"},
    ImportWord{.name = "default-server", .becomes = "servers"},
    ImportWord{.name = "balance", .becomes = "balance"},
    ImportWord{.name = "stick-table", .becomes = "rate, bounds"},
    ImportWord{.name = "http-check", .becomes = "health"},
    ImportWord{.name = "option httpchk", .becomes = "health"},
    ImportWord{.name = "redirect", .becomes = "redirect, redirect_to_https"},
    ImportWord{.name = "maxconn", .becomes = "bounds"},
    ImportWord{.name = "timeout connect", .becomes = "connect_timeout"},
    ImportWord{.name = "timeout client", .becomes = "timeouts"},
    ImportWord{.name = "timeout server", .becomes = "timeout, between_bytes"},
    ImportWord{.name = "timeout http-request", .becomes = "timeouts"},
    ImportWord{.name = "timeout http-keep-alive", .becomes = "timeouts"},
    ImportWord{.name = "timeout queue", .becomes = "queue"},
    ImportWord{.name = "timeout tunnel", .becomes = "timeouts"},
    ImportWord{.name = "compression algo", .becomes = "compress"},
    ImportWord{.name = "compression type", .becomes = "compress"},
    ImportWord{.name = "http-request redirect", .becomes = "redirect, redirect_to_https"},
    ImportWord{.name = "http-request return", .becomes = "respond"},
    ImportWord{.name = "http-request set-header", .becomes = "request_headers, host_header"},
    ImportWord{.name = "http-request add-header", .becomes = "request_headers"},
    ImportWord{.name = "http-request del-header", .becomes = "request_headers"},
    ImportWord{.name = "http-response set-header", .becomes = "response_headers"},
    ImportWord{.name = "http-response add-header", .becomes = "response_headers"},
    ImportWord{.name = "http-response del-header", .becomes = "response_headers"},
    ImportWord{"mode", Matter::lost, "headgate is an HTTP gateway: only \"mode http\" is translated"},
    ImportWord{"server-template", Matter::lost,
               "headgate uses all addresses of a server's name: write the name as one server"}};

/// Rules that may refuse requests. haproxy_refuses() recognises them. Their conditions decide how they are translated.
constexpr std::array kRefusing{
    ImportWord{"block", Matter::closed, kWriteProtection, "respond, addresses"},
    ImportWord{"http-request deny", Matter::closed, kWriteProtection, "limits, respond, addresses"},
    ImportWord{"http-request tarpit", Matter::closed, kWriteProtection, "limits, respond, addresses"},
    ImportWord{"http-request reject", Matter::closed, kWriteProtection, "limits, respond, addresses"},
    ImportWord{"http-request silent-drop", Matter::closed, kWriteProtection, "limits, respond, addresses"},
    ImportWord{"tcp-request connection reject", Matter::closed, kWriteProtection, "limits, addresses"},
    ImportWord{"tcp-request content reject", Matter::closed, kWriteProtection, "limits, addresses"},
    ImportWord{.name = "http-request track-sc*", .becomes = "per"},
    ImportWord{.name = "tcp-request connection track-sc*", .becomes = "per"},
    ImportWord{"http-request auth", Matter::closed, kWriteProtection},
    ImportWord{"http-request *", Matter::closed, kWriteProtection},
    ImportWord{"http-response *", Matter::closed, kWriteProtection},
    ImportWord{"tcp-request *", Matter::closed, kWriteProtection},
    ImportWord{"tcp-response *", Matter::closed, kWriteProtection}};

/// Actions that change a request, store something about it, or let it continue.
constexpr std::array<std::string_view, 57> kHaproxyGoesOn{"set-header",      "add-header",
                                                          "del-header",      "replace-header",
                                                          "replace-value",   "set-var",
                                                          "set-var-fmt",     "unset-var",
                                                          "set-path",        "replace-path",
                                                          "set-pathq",       "replace-pathq",
                                                          "set-query",       "set-uri",
                                                          "replace-uri",     "set-method",
                                                          "set-log-level",   "set-nice",
                                                          "set-tos",         "set-mark",
                                                          "set-src",         "set-src-port",
                                                          "set-dst",         "set-dst-port",
                                                          "set-timeout",     "capture",
                                                          "add-acl",         "del-acl",
                                                          "set-map",         "del-map",
                                                          "early-hint",      "cache-use",
                                                          "cache-store",     "allow",
                                                          "accept",          "pause",
                                                          "wait-for-body",   "wait-for-handshake",
                                                          "normalize-uri",   "do-resolve",
                                                          "strict-mode",     "disable-l7-retry",
                                                          "send-spoe-group", "set-bandwidth-limit",
                                                          "set-status",      "inspect-delay",
                                                          "return",          "redirect",
                                                          "close",           "set-fc-mark",
                                                          "set-fc-tos",      "set-bc-mark",
                                                          "set-bc-tos",      "set-retries",
                                                          "expect-proxy",    "expect-netscaler-cip",
                                                          "switch-mode"};

bool is_row_of(const ImportWord& known, const HaproxyLine& line) {
  const auto blank = known.name.find(' ');
  return line.begins(known.name.substr(0, blank),
                     blank == std::string_view::npos ? std::string_view() : known.name.substr(blank + 1));
}

}  // namespace

std::span<const ImportWord> haproxy_words() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> out;
    for (const auto action : kHaproxyGoesOn)
      if (const auto name = "http-request " + std::string(action); find_word(kRead, name) == nullptr)
        out.push_back(name);
    return out;
  }();
  static const std::vector<ImportWord> kAll = [] {
    std::vector<ImportWord> out(kRead.begin(), kRead.end());
    out.insert(out.end(), kRefusing.begin(), kRefusing.end());
    for (const auto& name : kNames) out.push_back({name, Matter::lost, "headgate import does not know this rule"});
    // Rules of these kinds have a row for each action.
    for (const auto& each : kHaproxyFates)
      if (each.name.find(' ') != std::string_view::npos ||
          find_word(kRefusing, std::string(each.name) + " ") == nullptr)
        out.push_back(each);
    return out;
  }();
  return kAll;
}

bool haproxy_goes_on(std::string_view action) {
  return std::ranges::find(kHaproxyGoesOn, action) != kHaproxyGoesOn.end();
}

std::optional<Remark> haproxy_remark(const HaproxyLine& line) {
  if (haproxy_refuses(line)) return std::nullopt;
  if (std::ranges::any_of(kRead, [&](const ImportWord& each) { return is_row_of(each, line); })) return std::nullopt;
  for (const auto& each : kHaproxyFates)
    if (is_row_of(each, line)) return Remark{each.matter, line.spot, line.text(), std::string(each.why)};
  return Remark{Matter::lost, line.spot, line.text(), "headgate import does not know it"};
}

}  // namespace headgate::translate
