// What becomes of the lines of HAProxy that are no part of routes, servers and limits.

#include "translate/draft/json.hpp"
#include "translate/haproxy/work.hpp"

#include <array>
#include <set>

namespace headgate::translate {
namespace {

struct HaproxyBeginning {
  std::string_view first;
  std::string_view second;  ///< empty: any
  Matter matter;
  std::string_view why;
};

constexpr std::array kHaproxyFates{
    HaproxyBeginning{"log", "", Matter::aside, "headgate has its own log: \"log\""},
    HaproxyBeginning{"log-format", "", Matter::aside, "headgate has its own log: \"log\""},
    HaproxyBeginning{"log-tag", "", Matter::aside, "headgate has its own log: \"log\""},
    HaproxyBeginning{"unique-id-format", "", Matter::aside, "headgate gives each request an id"},
    HaproxyBeginning{"unique-id-header", "", Matter::aside, "headgate gives each request an id"},
    HaproxyBeginning{"capture", "", Matter::aside, "headgate has its own log: \"log\""},
    HaproxyBeginning{"option", "forwardfor", Matter::aside, "headgate sends X-Forwarded-For by itself"},
    HaproxyBeginning{"option", "redispatch", Matter::aside, "headgate tries another server where a connection fails"},
    HaproxyBeginning{"option", "", Matter::aside, "it is about HAProxy's own connections and log"},
    HaproxyBeginning{"no", "", Matter::aside, "it is about HAProxy's own connections and log"},
    HaproxyBeginning{"retries", "", Matter::differs, "headgate tries twice in all; see \"retry\" of an upstream"},
    HaproxyBeginning{"retry-on", "", Matter::lost, "see \"retry\" of an upstream"},
    HaproxyBeginning{"http-reuse", "", Matter::aside, "headgate keeps connections to servers and shares them"},
    HaproxyBeginning{"errorfile", "", Matter::aside, "headgate has pages of its own for its own answers"},
    HaproxyBeginning{"errorloc", "", Matter::aside, "headgate has pages of its own for its own answers"},
    HaproxyBeginning{"errorfiles", "", Matter::aside, "headgate has pages of its own for its own answers"},
    HaproxyBeginning{"http-error", "", Matter::aside, "headgate has pages of its own for its own answers"},
    HaproxyBeginning{"compression", "offload", Matter::lost,
                     R"(write "request_headers": { "remove": ["Accept-Encoding"] } in the routes)"},
    HaproxyBeginning{"compression", "direction", Matter::lost, "headgate compresses answers alone"},
    HaproxyBeginning{"compression", "", Matter::lost, "headgate import does not know it"},
    HaproxyBeginning{"stats", "", Matter::aside, "headgate's admin interface has metrics and a status"},
    HaproxyBeginning{"monitor-uri", "", Matter::lost, "write a route with \"respond\""},
    HaproxyBeginning{"description", "", Matter::aside, "a comment"},
    HaproxyBeginning{"id", "", Matter::aside, "headgate numbers nothing"},
    HaproxyBeginning{"backlog", "", Matter::aside, "headgate asks the system for as much as it gives"},
    HaproxyBeginning{"fullconn", "", Matter::aside, "see \"concurrency\" of an upstream"},
    HaproxyBeginning{"hash-type", "", Matter::differs, "headgate's hash is always consistent"},
    HaproxyBeginning{"load-server-state-from-file", "", Matter::aside, "headgate hands its state over in an upgrade"},
    HaproxyBeginning{"filter", "", Matter::lost, "headgate has no filters"},
    HaproxyBeginning{"stick", "", Matter::lost, "see \"consistent_hash\" in \"balance\""},
    HaproxyBeginning{"cookie", "", Matter::lost, "headgate sets no cookie to find a server again"},
    HaproxyBeginning{"dispatch", "", Matter::lost, "write the server in \"upstreams\""},
    HaproxyBeginning{"use-server", "", Matter::lost, "headgate chooses servers by \"balance\" alone"},
    HaproxyBeginning{"http-request", "", Matter::lost, "headgate import does not know this rule"},
    HaproxyBeginning{"http-response", "", Matter::lost, "headgate import does not know this rule"},
    HaproxyBeginning{"http-after-response", "", Matter::lost, "headgate import does not know this rule"},
    HaproxyBeginning{"tcp-request", "inspect-delay", Matter::aside, "headgate reads heads as they come"},
    HaproxyBeginning{"tcp-request", "", Matter::lost, "headgate import does not know this rule"},
    HaproxyBeginning{"tcp-response", "", Matter::lost, "headgate import does not know this rule"},
    HaproxyBeginning{"tcp-check", "", Matter::lost, "a check of headgate is a request or a connection: \"health\""},
    HaproxyBeginning{"timeout", "check", Matter::aside, "see \"timeout\" in \"health\""},
    HaproxyBeginning{"timeout", "tarpit", Matter::aside, "headgate rejects at once"},
    HaproxyBeginning{"timeout", "client-fin", Matter::aside, "headgate has its own times for that"},
    HaproxyBeginning{"timeout", "server-fin", Matter::aside, "headgate has its own times for that"},
};

const std::set<std::string_view> kRead = {"bind",
                                          "mode",
                                          "acl",
                                          "use_backend",
                                          "default_backend",
                                          "server",
                                          "default-server",
                                          "server-template",
                                          "balance",
                                          "stick-table",
                                          "http-check",
                                          "redirect",
                                          "maxconn"};

bool read_elsewhere(const HaproxyLine& line) {
  if (kRead.contains(line.word(0))) return true;
  if (line.begins("timeout"))
    for (const auto* name : {"connect", "client", "server", "http-request", "http-keep-alive", "queue", "tunnel"})
      if (line.word(1) == name) return true;
  if (line.begins("option", "httpchk")) return true;
  if (line.begins("compression", "algo") || line.begins("compression", "type")) return true;
  if (line.begins("http-request") || line.begins("http-response"))
    for (const auto* rule : {"redirect", "return", "set-header", "add-header", "del-header"})
      if (line.word(1) == rule) return true;
  if (haproxy_refuses(line)) return true;
  return line.begins("block");
}

}  // namespace

std::optional<Remark> haproxy_remark(const HaproxyLine& line) {
  if (read_elsewhere(line)) return std::nullopt;
  for (const auto& each : kHaproxyFates)
    if (line.begins(each.first, each.second)) return Remark{each.matter, line.spot, line.text(), std::string(each.why)};
  return Remark{Matter::lost, line.spot, line.text(), "headgate import does not know it"};
}

}  // namespace headgate::translate
