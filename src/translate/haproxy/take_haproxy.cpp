// Translates a whole HAProxy configuration.

#include "translate/draft/json.hpp"
#include "translate/haproxy/work.hpp"
#include "translate/products.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <iterator>
#include <utility>

namespace headgate::translate {
namespace {

/// Converts a value with HAProxy's variables to JSON with headgate's. Returns an empty text if a variable has no
/// counterpart.
std::string value_of_format(std::string_view text) {
  static const std::map<std::string, std::string, std::less<>> kSamples = {{"src", "${client_ip}"},
                                                                           {"req.hdr(host)", "${host}"},
                                                                           {"hdr(host)", "${host}"},
                                                                           {"req.hdr(Host)", "${host}"},
                                                                           {"unique-id", "${request_id}"}};
  std::string out;
  const auto add = [&](std::string_view plain) {
    const auto json = json_text(plain);
    out += json.substr(1, json.size() - 2);
  };
  while (!text.empty()) {
    const auto at = text.find('%');
    add(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at);
    if (text.starts_with("%%")) {
      out += '%';
      text.remove_prefix(2);
      continue;
    }
    if (!text.starts_with("%[")) {
      if (!text.starts_with("%ci")) return {};
      out += "${client_ip}";
      text.remove_prefix(3);
      continue;
    }
    const auto close = text.find(']');
    if (close == std::string_view::npos) return {};
    const auto sample = kSamples.find(text.substr(2, close - 2));
    if (sample == kSamples.end()) return {};
    out += sample->second;
    text.remove_prefix(close + 1);
  }
  return '"' + out + '"';
}

void take_timeouts(const HaproxyProxy& proxy, Draft& draft) {
  const auto put = [&](const char* name, const char* key) {
    const auto* const line = last_line(proxy, "timeout", name);
    const auto time = line == nullptr ? std::nullopt : haproxy_time(line->word(2));
    if (time && *time > 0 && draft.timeouts.get(key).empty()) draft.timeouts.set(key, milliseconds(*time));
  };
  put("http-request", "head");
  put("client", "body");
  put("client", "write");
  put("http-keep-alive", "idle");
  put("tunnel", "tunnel");
}

}  // namespace

void haproxy_fields(const HaproxyProxy& proxy, DraftEntry& route) {
  static const std::set<std::string> kOwn = {"x-forwarded-for",
                                             "x-forwarded-proto",
                                             "x-forwarded-host",
                                             "x-forwarded-port",
                                             "x-request-id",
                                             "x-real-ip",
                                             "via",
                                             "forwarded"};
  struct Changes {
    std::vector<std::string> remove;
    std::vector<std::pair<std::string, std::string>> set, add;
  };
  Changes request;
  Changes response;
  for (std::size_t i = proxy.own; i < proxy.lines.size(); ++i) {
    const auto& line = *proxy.lines[i];
    if (!line.begins("http-request") && !line.begins("http-response")) continue;
    const auto rule = line.word(1);
    if (rule != "set-header" && rule != "add-header" && rule != "del-header") continue;
    const auto name = line.word(2);
    if (kOwn.contains(lower(name)) && line.begins("http-request")) continue;  // headgate sets these fields itself
    if (line.words.size() > (rule == "del-header" ? 3U : 4U)) {
      say(route, Matter::lost, line.spot, line.text(), "a route changes the fields of all its requests");
      continue;
    }
    auto& changes = line.begins("http-request") ? request : response;
    if (rule == "del-header") {
      changes.remove.emplace_back(name);
      continue;
    }
    const auto value = value_of_format(line.word(3));
    if (value.empty()) {
      say(route, Matter::lost, line.spot, line.text(), "headgate has no such variable");
    } else if (same_word(name, "host") && line.begins("http-request")) {
      route.set("host_header", value);
    } else {
      (rule == "set-header" ? changes.set : changes.add).emplace_back(std::string(name), value);
    }
  }
  const auto put = [&](const char* key, const Changes& changes) {
    std::vector<std::pair<std::string, std::string>> members;
    if (!changes.remove.empty()) members.emplace_back("remove", texts_of(changes.remove));
    if (!changes.set.empty()) members.emplace_back("set", object_of(changes.set));
    if (!changes.add.empty()) members.emplace_back("add", object_of(changes.add));
    if (!members.empty() && route.get(key).empty()) route.set(key, object_of(members));
  };
  put("request_headers", request);
  put("response_headers", response);
}

void take_haproxy(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::vector<HaproxySection> sections;
  std::size_t count = 0;
  for (const auto& input : inputs) {
    auto some = read_haproxy(input.text, input.name, count);
    std::move(some.begin(), some.end(), std::back_inserter(sections));
  }
  HaproxyWork work{.draft = draft, .proxies = {}, .upstreams = {}, .limits = {}, .said = {}};
  std::vector<const HaproxyProxy*> frontends;
  const HaproxySection* defaults = nullptr;
  for (const auto& section : sections) {
    if (section.kind == "defaults") defaults = &section;
    const bool proxy = section.kind == "frontend" || section.kind == "backend" || section.kind == "listen";
    if (section.kind == "global") {
      for (const auto& line : section.lines) {
        if (line.begins("maxconn"))
          draft.bounds.set("connections", std::string(line.word(1)));
        else
          draft.say(Matter::aside, line.spot, line.text(), "it is about HAProxy's own process");
      }
      continue;
    }
    if (!proxy && section.kind != "defaults") {
      draft.say(section.kind == "userlist" || section.kind == "fcgi-app" || section.kind == "cache" ? Matter::lost
                                                                                                    : Matter::aside,
                section.head.spot, section.head.text(), "headgate has no such section");
      continue;
    }
    for (const auto& line : section.lines)
      if (auto remark = haproxy_remark(line); remark && !is_limit_rule({&section, {}, 0, {}}, line))
        draft.remarks.push_back(std::move(*remark));
    if (!proxy) continue;
    const auto [place, is_new] = work.proxies.try_emplace(section.name);
    if (!is_new) {
      draft.say(Matter::lost, section.head.spot, section.head.text(), "another section has this name");
      continue;
    }
    auto& made = place->second;
    made.section = &section;
    if (defaults != nullptr)
      for (const auto& line : defaults->lines) made.lines.push_back(&line);
    made.own = made.lines.size();
    for (const auto& line : section.lines) made.lines.push_back(&line);
    // Maximum for one section, because its rules are compared with each other.
    constexpr std::size_t kMaxOfSection = 3000;
    if (made.lines.size() > kMaxOfSection)
      throw Unreadable(section.head.spot, "this section has more than " + std::to_string(kMaxOfSection) + " lines");
    find_acls(made);
    const auto* const mode = last_line(made, "mode");
    if (mode != nullptr && mode->word(1) != "http") {
      draft.say(Matter::lost, section.head.spot, section.head.text(),
                "headgate is an HTTP gateway: it has no mode " + one_line(mode->word(1)));
      continue;
    }
    if (section.kind != "backend") frontends.push_back(&made);
  }
  for (const auto* each : frontends) {
    take_timeouts(*each, draft);
    take_frontend(work, *each);
  }
  for (const auto& section : sections)
    if (section.kind == "backend" && work.proxies.at(section.name).section == &section)
      haproxy_upstream(work, section.name);
}

}  // namespace headgate::translate
