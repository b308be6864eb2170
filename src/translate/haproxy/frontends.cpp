// Translates a frontend: where it listens, and which of its rules handles a request. HAProxy uses the first rule that
// matches, and headgate uses the most specific route.

#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/haproxy/requests.hpp"
#include "translate/haproxy/work.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::translate {
namespace {

// maximum for one frontend, because each route is compared with the earlier ones
constexpr std::size_t kMaxFrontendRoutes = 2000;

/// The routes of one frontend.
class Frontend {
 public:
  Frontend(HaproxyWork& work, const HaproxyProxy& proxy)
      : work_(work), proxy_(proxy), limits_(haproxy_limits(work, proxy)) {}

  void take() {
    mutual_ = std::any_of(proxy_.lines.begin(), proxy_.lines.end(),
                          [](const auto* line) { return line->begins("bind") && line->after("verify") == "required"; });
    std::set<const HaproxyLine*> taken;
    const auto addresses = haproxy_addresses(work_, proxy_, taken);
    for (const auto* each : proxy_.lines) {
      const auto& line = *each;
      if (haproxy_refuses(line) && !taken.contains(&line)) refuse(line, haproxy_refusals(proxy_, line));
      if (line.begins("http-request", "return")) give(line, haproxy_refusals(proxy_, line));
      if (line.begins("redirect") || line.begins("http-request", "redirect")) redirect(line);
    }
    for (std::size_t i = proxy_.own; i < proxy_.lines.size(); ++i)
      if (proxy_.lines[i]->begins("use_backend")) pass_on(*proxy_.lines[i], std::string(proxy_.lines[i]->word(1)));
    if (const auto* const otherwise = last_line(proxy_, "default_backend"))
      pass_on(*otherwise, std::string(otherwise->word(1)));
    else if (proxy_.section->kind == "listen")
      pass_on(proxy_.section->head, proxy_.section->name);
    if (addresses.empty()) allow_addresses();
    repeat_for_hosts();
    for (const auto& limit : limits_)
      if (!limit.when.empty()) narrow(limit);
    for (auto& [requests, route] : routes_) {
      if (!addresses.empty() && !route.off && !route.get("addresses").empty())
        close_route(route, "src", route.spot, route.from,
                    "an address must be allowed by both lists: write their intersection as \"addresses\"");
      else if (!addresses.empty() && !route.off)
        set_addresses(addresses, route);
      if (mutual_ && !route.get("to").empty()) route.set("require", json_text("mtls"));
      put_route(work_.draft, std::move(route));
    }
  }

 private:
  DraftEntry begin(const HaproxyLine& line) const {
    DraftEntry route;
    route.spot = line.spot;
    route.from = line.text();
    route.comments.push_back(line.text());
    return route;
  }

  void put(const DraftEntry& route, const std::vector<HaproxyTests>& conditions, const HaproxyLine& line) {
    std::vector<HaproxyRequests> all;
    for (const auto& tests : conditions) {
      // If the route keeps callers out, its conditions must cover all requests of the rule; they may cover more.
      const auto some =
          route.get("to").empty() || !route.closed.empty() ? std::optional(at_least(tests)) : requests_of(tests);
      if (!some) {
        work_.draft.say(Matter::lost, line.spot, line.text(),
                        "write a route with this condition: \"host\", \"path\", \"path_matches\", \"methods\", "
                        "\"headers\" or \"client_ip\"");
        return;
      }
      all.insert(all.end(), some->begin(), some->end());
    }
    bool first = true;
    for (const auto& requests : all) {
      if (routes_.size() >= kMaxFrontendRoutes)
        throw Unreadable(line.spot, "this frontend has more than " + std::to_string(kMaxFrontendRoutes) + " routes");
      auto copy = route;
      if (!first) copy.remarks.clear();
      first = false;
      copy.precedence = kMaxFrontendRoutes + 1 - routes_.size();
      const auto before = std::find_if(routes_.begin(), routes_.end(), [&](const auto& each) {
        return !each.second.off && covers(each.first, requests);
      });
      // An earlier rule takes all of these requests, so HAProxy never reaches this rule. In headgate its route could
      // win, because it has more conditions.
      if (before != routes_.end()) {
        copy.off = true;
        say(copy, Matter::aside, line.spot, line.text(),
            "the rule at line " + std::to_string(before->second.spot.line) + " already takes these requests");
      }
      for (const auto& limit : limits_)
        if (limit.when.empty() && (copy.get("to").size() > 0 || limit.line->spot.line < line.spot.line))
          copy.use(limit.name);
      set_requests(copy, requests);
      if (requests.path.ends_with("/*") && requests.path.size() > 2)
        for (const auto& tests : conditions)
          for (const auto& test : tests)
            if (test.kind == HaproxyTest::Kind::path_prefix &&
                std::find(test.values.begin(), test.values.end(), requests.path.substr(0, requests.path.size() - 2)) !=
                    test.values.end())
              say(copy, Matter::differs, line.spot, test.text,
                  "headgate compares whole segments: " + requests.path.substr(0, requests.path.size() - 2) +
                      " and what is below it");
      routes_.emplace_back(requests, std::move(copy));
    }
  }

  std::vector<HaproxyTests> conditions(const HaproxyLine& line) const {
    auto out = conditions_of(proxy_, line);
    if (out.empty()) out.emplace_back();
    return out;
  }

  /// Translates a rule that refuses requests for which one of `all` holds.
  void refuse(const HaproxyLine& line, const std::vector<HaproxyTests>& all) {
    if (all.empty()) return;
    const bool denies = line.word(0) == "block" || line.word(1) == "deny" || line.word(1) == "tarpit" ||
                        line.word(1) == "silent-drop" || line.word(1) == "reject";
    const bool known = denies && line.word(0) != "http-response" && line.word(0) != "tcp-response";
    if (known && std::all_of(all.begin(), all.end(), are_exact)) return answer(line, "deny", all);
    close(line, all);
  }

  /// Closes the requests of a rule that may keep callers out and cannot be translated.
  void close(const HaproxyLine& line, const std::vector<HaproxyTests>& all) {
    auto route = begin(line);
    close_route(route, std::string(line.word(0)) + (line.words.size() > 1 ? ' ' + std::string(line.word(1)) : ""),
                line.spot, line.text(), std::string(kWriteProtection));
    put(route, all, line);
  }

  /// Translates a rule that answers requests itself.
  void give(const HaproxyLine& line, const std::vector<HaproxyTests>& all) {
    if (all.empty()) return;
    if (std::all_of(all.begin(), all.end(), are_exact)) return answer(line, "return", all);
    close(line, all);
  }

  void answer(const HaproxyLine& line, std::string_view kind, const std::vector<HaproxyTests>& wanted) {
    auto route = begin(line);
    unsigned status = kind == "deny" ? 403 : 200;
    const auto written = line.after(kind == "deny" ? "deny_status" : "status");
    std::from_chars(written.data(), written.data() + written.size(), status);
    std::vector<std::pair<std::string, std::string>> members{{"status", std::to_string(status)}};
    if (const auto type = line.after("content-type"); !type.empty())
      members.emplace_back("content_type", json_text(type));
    if (const auto body = line.after("string"); !body.empty()) members.emplace_back("body", json_text(body));
    if (const auto file = line.after("file"); !file.empty()) members.emplace_back("body_file", json_text(file));
    for (const auto* other : {"lf-string", "lf-file", "errorfile", "errorfiles", "hdr"})
      if (!line.after(other).empty())
        say(route, Matter::lost, line.spot, other, "write \"body\" or \"headers\" in \"respond\"");
    route.set("respond", object_of(members));
    put(route, wanted, line);
  }

  void redirect(const HaproxyLine& line) {
    auto route = begin(line);
    const auto all = conditions(line);
    const auto without_tls = [](const HaproxyTests& tests) {
      return tests.empty() || std::any_of(tests.begin(), tests.end(), [](const auto& test) {
               return test.kind == HaproxyTest::Kind::over_tls && test.negated;
             });
    };
    if (line.after("scheme") == "https" && std::all_of(all.begin(), all.end(), without_tls)) {
      for (auto& listener : work_.draft.listeners)
        if (listener.from.starts_with(proxy_.section->name + ":") && listener.get("tls").empty())
          listener.set("redirect_to_https", "true");
      if (std::any_of(all.begin(), all.end(), [](const auto& tests) { return tests.size() > 1; }))
        work_.draft.say(Matter::differs, line.spot, line.text(), "all requests without TLS are redirected here");
      return;
    }
    auto to = std::string(line.after("location"));
    if (to.empty() && !line.after("prefix").empty()) to = std::string(line.after("prefix")) + "/*";
    const bool fixed = !to.empty() && to.find('%') == std::string::npos;
    if (!fixed || !std::all_of(all.begin(), all.end(), are_exact)) return close(line, all);
    const auto code = line.after("code");
    if (to.ends_with("/*"))
      for (const auto& tests : all)
        if (const auto some = requests_of(tests); some && !some->empty() && some->front().path != "/*")
          to = to.substr(0, to.size() - 2) + some->front().path;
    route.set("redirect", object_of({{"to", json_text(to)}, {"status", code.empty() ? "302" : std::string(code)}}));
    put(route, all, line);
  }

  void pass_on(const HaproxyLine& line, const std::string& backend) {
    auto route = begin(line);
    const auto upstream = haproxy_upstream(work_, backend);
    if (upstream.empty()) {
      close_route(route, "its backend", line.spot, line.text(), "none of the servers of this backend was translated");
    } else {
      auto made = backends_.find(backend);
      if (made == backends_.end()) {
        made = backends_.emplace(backend, DraftEntry{}).first;
        take_backend(work_.proxies.at(backend), made->second);
      }
      const auto& rules = made->second;
      route.set("to", json_text(upstream));
      route.fields.insert(route.fields.end(), rules.fields.begin(), rules.fields.end());
      route.uses = rules.uses;
      route.remarks.insert(route.remarks.end(), rules.remarks.begin(), rules.remarks.end());
      made->second.remarks.clear();  // the remarks of the backend are given only once
      if (made->second.closed.size() > 0) route.closed = made->second.closed;
    }
    const auto wanted = conditions(line);
    const bool exact =
        std::all_of(wanted.begin(), wanted.end(), [](const auto& tests) { return requests_of(tests).has_value(); });
    // Callers that the backend refuses must not reach another backend.
    if (!exact && lets_all_in(route)) return put(route, wanted, line);
    if (!exact)
      close_route(route, "use_backend", line.spot, line.text(),
                  "write a route with this condition, and what protects it");
    put(route, wanted, line);
  }

  /// Applies the rules of the frontend and of the backend to requests for that backend.
  void take_backend(const HaproxyProxy& backend, DraftEntry& route) {
    haproxy_fields(proxy_, route);
    haproxy_compression(work_, proxy_, route);
    if (&backend != &proxy_) {
      haproxy_fields(backend, route);
      haproxy_compression(work_, backend, route);
      for (const auto& limit : haproxy_limits(work_, backend)) {
        if (limit.when.empty())
          route.use(limit.name);
        else
          work_.draft.say(Matter::lost, limit.line->spot, limit.line->text(),
                          "headgate has no such condition in an upstream");
      }
      std::set<const HaproxyLine*> taken;
      if (const auto addresses = haproxy_addresses(work_, backend, taken); !addresses.empty())
        set_addresses(addresses, route);
      for (const auto* each : backend.lines) {
        const auto& line = *each;
        const bool decides = haproxy_refuses(line) || line.begins("redirect") ||
                             line.begins("http-request", "return") || line.begins("http-request", "redirect");
        if (decides && !haproxy_refusals(backend, line).empty() && !taken.contains(&line))
          close_route(route, std::string(line.word(0)) + ' ' + std::string(line.word(1)), line.spot, line.text(),
                      "write it as a route of its own, before this one");
      }
    }
    if (const auto* const time = last_line(backend, "timeout", "server"))
      if (const auto span = haproxy_time(time->word(2)); span && *span > 0) {
        route.set("timeout", milliseconds(*span));
        route.set("between_bytes", milliseconds(*span));
      }
  }

  /// Looks for a route that refuses all addresses except a list. If one other route handles all requests from the list,
  /// gives that route "addresses" instead.
  void allow_addresses() {
    static const std::string kRefusal = object_of({{"status", "403"}});
    for (auto at = routes_.begin(); at != routes_.end(); ++at) {
      const auto& [requests, refusal] = *at;
      if (refusal.off || !refusal.closed.empty() || requests.not_client_ip.empty()) continue;
      if (refusal.get("respond") != kRefusal) continue;
      auto of_all = requests;
      of_all.not_client_ip.clear();
      const auto next = std::find_if(
          at + 1, routes_.end(), [&](const auto& each) { return !each.second.off && may_meet(refusal, each.second); });
      if (next == routes_.end() || !covers(next->first, of_all) || !lets_all_in(next->second)) continue;
      auto guarded = next->second;
      guarded.spot = refusal.spot;
      guarded.from = refusal.from;
      guarded.comments = refusal.comments;
      guarded.remarks = refusal.remarks;
      guarded.precedence = refusal.precedence;
      set_requests(guarded, of_all);
      set_addresses(address_rules(requests.not_client_ip, {}, refusal.spot), guarded);
      *at = {std::move(of_all), std::move(guarded)};
    }
  }

  /// Repeats rules for all hosts for each host that later rules name, where the paths of both overlap. headgate prefers
  /// routes with a host, so the rule for all hosts would otherwise lose its place before the later rule.
  void repeat_for_hosts() {
    std::vector<std::pair<HaproxyRequests, DraftEntry>> all;
    for (std::size_t at = 0; at < routes_.size(); ++at) {
      const auto& [requests, route] = routes_[at];
      all.push_back(routes_[at]);
      if (route.off || !requests.host.empty()) continue;
      std::set<std::pair<std::string, std::string>> places;
      for (std::size_t later = at + 1; later < routes_.size(); ++later) {
        const auto& [theirs, other] = routes_[later];
        if (other.off || theirs.host.empty()) continue;
        if (covers_path(theirs.path, requests.path))
          places.emplace(theirs.host, requests.path);
        else if (covers_path(requests.path, theirs.path))
          places.emplace(theirs.host, theirs.path);
      }
      for (const auto& [host, path] : places) {
        auto there = requests;
        there.host = host;
        there.path = path;
        const auto taken_before = [&](const auto& each) { return !each.second.off && covers(each.first, there); };
        if (std::any_of(routes_.begin(), routes_.begin() + static_cast<std::ptrdiff_t>(at), taken_before)) continue;
        auto copy = route;
        copy.remarks.clear();
        set_requests(copy, there);
        all.emplace_back(std::move(there), std::move(copy));
        if (all.size() > kMaxFrontendRoutes)
          throw Unreadable(route.spot,
                           "this frontend has more than " + std::to_string(kMaxFrontendRoutes) + " routes with it");
      }
    }
    routes_ = std::move(all);
  }

  /// Applies a limit that is only for some requests. A route that matches only such requests gets the limit. Of the
  /// routes that also match other requests, the most specific one is copied; the copy matches only the requests of the
  /// limit, and gets the limit.
  void narrow(const HaproxyLimit& limit) {
    const auto wanted = requests_of(limit.when);
    if (!wanted) {
      work_.draft.say(Matter::lost, limit.line->spot, limit.line->text(), "headgate has no such condition for a limit");
      return;
    }
    // headgate compares hosts before paths, so each host needs a narrower route.
    std::set<std::string> hosts;
    for (const auto& each : routes_) hosts.insert(each.first.host);
    for (const auto& requests : *wanted) {
      if (!requests.host.empty()) {
        narrow(limit, requests);
        continue;
      }
      for (const auto& host : hosts) {
        auto there = requests;
        there.host = host;
        narrow(limit, there);
      }
    }
  }

  void narrow(const HaproxyLimit& limit, const HaproxyRequests& requests) {
    bool same = false;
    const std::pair<HaproxyRequests, DraftEntry>* around = nullptr;
    for (auto& each : routes_) {
      if (each.second.off || each.second.get("to").empty()) continue;
      if (covers(requests, each.first)) each.second.use(limit.name);
      same = same || each.first == requests;
      if (!covers(each.first, requests)) continue;
      if (around == nullptr || std::pair(each.first.host.size(), each.first.path.size()) >=
                                   std::pair(around->first.host.size(), around->first.path.size()))
        around = &each;
    }
    if (same || around == nullptr || routes_.size() >= kMaxFrontendRoutes) return;
    auto copy = around->second;
    copy.remarks.clear();
    copy.comments = {limit.line->text()};
    copy.spot = limit.line->spot;
    set_requests(copy, requests);
    copy.use(limit.name);
    routes_.emplace_back(requests, std::move(copy));
  }

  HaproxyWork& work_;
  const HaproxyProxy& proxy_;
  std::vector<HaproxyLimit> limits_;
  bool mutual_ = false;  ///< whether clients must present a certificate
  std::vector<std::pair<HaproxyRequests, DraftEntry>> routes_;
  std::map<std::string, DraftEntry> backends_;  ///< keys that the rules of a backend add to its routes
};

}  // namespace

void take_frontend(HaproxyWork& work, const HaproxyProxy& proxy) {
  for (const auto* line : proxy.lines)
    if (line->begins("bind")) haproxy_listener(work, proxy, *line);
  if (const auto* const most = last_line(proxy, "maxconn");
      most != nullptr && work.draft.bounds.get("connections").empty())
    work.draft.bounds.set("connections", std::string(most->word(1)));
  Frontend(work, proxy).take();
}

}  // namespace headgate::translate
