// Translates stick-tables, what they track, and the rules that refuse requests by their counters.

#include "translate/draft/json.hpp"
#include "translate/haproxy/work.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

bool is_rule(const HaproxyLine& line) {
  return line.begins("http-request") || line.begins("tcp-request") || line.begins("block");
}

bool refuses(const HaproxyLine& line) {
  for (const auto& word : line.words) {
    if (word == "if" || word == "unless") break;
    if (word == "deny" || word == "reject" || word == "tarpit" || word == "silent-drop" || word == "return")
      return true;
  }
  return false;
}

bool is_counter(const HaproxyTest& test) {
  using Kind = HaproxyTest::Kind;
  return test.kind == Kind::request_rate || test.kind == Kind::connections || test.kind == Kind::connection_rate;
}

/// Returns the line that sets a counter, such as "track-sc0 src table st", or null.
const HaproxyLine* track_of(const HaproxyProxy& proxy, const std::string& counter) {
  for (const auto* line : proxy.lines)
    if (is_rule(*line) && std::find(line->words.begin(), line->words.end(), "track-sc" + counter) != line->words.end())
      return line;
  return nullptr;
}

/// Returns the period in "http_req_rate(10s)" of a stick-table.
std::string period_in(const HaproxyLine& table, std::string_view name) {
  for (const auto& word : table.words) {
    const auto at = word.find(std::string(name) + "(");
    if (at == std::string::npos) continue;
    const auto begin = at + name.size() + 1;
    return word.substr(begin, word.find(')', begin) - begin);
  }
  return {};
}

/// Returns "10s" in headgate's form. A number without a unit is in milliseconds.
std::string rate_unit(const std::string& period) {
  const auto time = haproxy_time(period);
  if (!time || *time == 0) return {};
  return period.find_first_not_of("0123456789") == std::string::npos ? period + "ms" : period;
}

/// Returns whether the tests refuse requests because a counter is too large. A negated test would refuse them because
/// it is small.
bool is_limit(const HaproxyTests& tests) {
  const auto at = std::find_if(tests.begin(), tests.end(), is_counter);
  return at != tests.end() && !at->negated;
}

/// Removes those tests from `tests` that exempt addresses, and returns these addresses.
std::vector<std::string> exempt_by(HaproxyTests& tests) {
  std::vector<std::string> out;
  const auto exempts = [](const HaproxyTest& test) { return test.kind == HaproxyTest::Kind::source && test.negated; };
  for (const auto& test : tests)
    if (exempts(test)) out.insert(out.end(), test.values.begin(), test.values.end());
  std::erase_if(tests, exempts);
  return out;
}

/// Returns the tracked value as "per".
std::string per_of(std::string_view sample, DraftEntry& limit, const HaproxyLine& line) {
  const auto open = sample.find('(');
  const auto name = sample.substr(0, open);
  std::string argument(open == std::string_view::npos ? std::string_view()
                                                      : sample.substr(open + 1, sample.find(')') - open - 1));
  argument = argument.substr(0, argument.find(','));
  if (name == "src") return json_text("client_ip");
  if (name == "hdr_ip" || name == "req.hdr_ip" || (name.ends_with("hdr") && lower(argument) == "x-forwarded-for")) {
    say(limit, Matter::lost, line.spot, line.text(),
        "anybody can write that field: it counts by the client's address, once \"identity\": { \"trusted_proxies\" } "
        "names the proxies that send it");
    return json_text("client_ip");
  }
  if (sample.find("),") != std::string_view::npos) return {};
  if (name == "hdr" || name == "req.hdr" || name == "req.fhdr") {
    limit.set("if_absent", json_text("skip"));
    return json_text(same_word(argument, "host") ? "host" : "header:" + argument);
  }
  if (name == "cook" || name == "req.cook") {
    limit.set("if_absent", json_text("skip"));
    return json_text("cookie:" + argument);
  }
  if (name == "method") return json_text("method");
  return {};
}

/// Returns the table of a counter.
const HaproxyLine* table_of(const HaproxyWork& work, const HaproxyProxy& proxy, const HaproxyTest& test,
                            const HaproxyLine* track) {
  auto name = test.table;
  if (name.empty() && track != nullptr) name = track->after("table");
  if (name.empty()) return last_line(proxy, "stick-table");
  const auto found = work.proxies.find(name);
  return found == work.proxies.end() ? nullptr : last_line(found->second, "stick-table");
}

void say_how_it_differs(HaproxyWork& work, const HaproxyLine& line, DraftEntry& limit) {
  const auto status = line.after("deny_status");
  if (status != "429" && work.said.insert("status").second)
    say(limit, Matter::differs, line.spot, status.empty() ? "deny_status 403" : "deny_status " + std::string(status),
        "headgate rejects with 429 and Retry-After");
  for (const auto* slow : {"tarpit", "silent-drop"})
    if (std::find(line.words.begin(), line.words.end(), slow) != line.words.end())
      say(limit, Matter::differs, line.spot, slow, "headgate rejects immediately");
}

/// Returns the limit for a test of a request rate. Returns an empty text, with a remark, if it cannot be translated.
std::string rate_limit(HaproxyWork& work, const HaproxyProxy& proxy, const HaproxyLine& line, const HaproxyTest& test,
                       const std::vector<std::string>& exempt) {
  const auto* const track = test.counter == "src" ? nullptr : track_of(proxy, test.counter);
  const auto* const table = table_of(work, proxy, test, track);
  const auto lost = [&](const char* why) {
    work.draft.say(Matter::lost, line.spot, line.text(), why);
    return std::string();
  };
  if (track == nullptr && test.counter != "src") return lost("no track-sc rule of this section says what is counted");
  if (table == nullptr) return lost("no stick-table was found for it");
  const auto unit = rate_unit(period_in(*table, "http_req_rate"));
  if (unit.empty()) return lost("the stick-table stores no http_req_rate");
  DraftEntry limit;
  limit.spot = line.spot;
  limit.from = line.text();
  limit.comments = {table->text(), line.text()};
  std::string_view sample = "src";
  if (track != nullptr) {
    const auto at = std::find(track->words.begin(), track->words.end(), "track-sc" + test.counter);
    if (at + 1 != track->words.end()) sample = *(at + 1);
  }
  limit.set("rate", rate_of(test.number, unit));
  const auto per = per_of(sample, limit, track == nullptr ? line : *track);
  if (per.empty()) return lost("headgate cannot count by the tracked value");
  limit.set("per", per);
  limit.set("algorithm", json_text("sliding_window"));
  limit.set("count_rejected", "true");  // the table counts a request before a rule refuses it
  if (!exempt.empty()) limit.set("exempt", object_of({{"client_ip", texts_of(exempt)}}));
  std::string id = std::to_string(test.number) + unit + per + std::to_string(table->spot.line) + table->spot.file +
                   std::string(limit.get("exempt"));
  if (const auto known = work.limits.find(id); known != work.limits.end()) return known->second;
  const auto wanted = track != nullptr && !track->after("table").empty() ? std::string(track->after("table"))
                      : !test.table.empty()                              ? test.table
                                                                         : proxy.section->name;
  limit.name = free_name(wanted, work.draft.limit_names);
  say_how_it_differs(work, line, limit);
  work.limits[id] = limit.name;
  put_limit(work.draft, limit);
  return limit.name;
}

/// Sets bounds on connections. headgate has them for each address.
void bound(HaproxyWork& work, const HaproxyProxy& proxy, const HaproxyLine& line, const HaproxyTest& test) {
  auto& bounds = work.draft.bounds;
  if (test.kind == HaproxyTest::Kind::connections) {
    bounds.set("connections_per_address", std::to_string(test.number));
    return;
  }
  const auto* const track = test.counter == "src" ? nullptr : track_of(proxy, test.counter);
  const auto* const table = table_of(work, proxy, test, track);
  const auto unit = table == nullptr ? std::string() : rate_unit(period_in(*table, "conn_rate"));
  if (unit.empty())
    work.draft.say(Matter::lost, line.spot, line.text(), "no stick-table that stores conn_rate was found for it");
  else
    bounds.set("connection_rate", rate_of(test.number, unit));
}

}  // namespace

bool is_limit_rule(const HaproxyProxy& proxy, const HaproxyLine& line) {
  if (!is_rule(line)) return false;
  if (std::any_of(line.words.begin(), line.words.end(), [](const auto& word) { return word.starts_with("track-sc"); }))
    return true;
  if (!refuses(line)) return false;
  return std::ranges::any_of(conditions_of(proxy, line), is_limit);
}

std::vector<HaproxyTests> haproxy_refusals(const HaproxyProxy& proxy, const HaproxyLine& line) {
  auto out = conditions_of(proxy, line);
  if (out.empty()) out.emplace_back();
  if (is_rule(line) && refuses(line)) std::erase_if(out, is_limit);
  return out;
}

std::vector<HaproxyLimit> haproxy_limits(HaproxyWork& work, const HaproxyProxy& proxy) {
  constexpr std::size_t kMaxOfProxy = 100;
  std::vector<HaproxyLimit> out;
  for (std::size_t i = proxy.own; i < proxy.lines.size(); ++i) {
    const auto& line = *proxy.lines[i];
    if (!is_limit_rule(proxy, line) || !refuses(line)) continue;
    if (out.size() > kMaxOfProxy)
      throw Unreadable(line.spot, "this section has more than " + std::to_string(kMaxOfProxy) + " limits");
    for (auto tests : conditions_of(proxy, line)) {
      if (!is_limit(tests)) continue;
      const auto at = std::find_if(tests.begin(), tests.end(), is_counter);
      const auto test = *at;
      tests.erase(at);
      if (test.kind != HaproxyTest::Kind::request_rate) {
        bound(work, proxy, line, test);
        if (!tests.empty())
          work.draft.say(Matter::differs, line.spot, line.text(),
                         "headgate's limit on connections is the same for all addresses");
        continue;
      }
      const auto exempt = exempt_by(tests);
      if (auto name = rate_limit(work, proxy, line, test, exempt); !name.empty()) out.push_back({name, tests, &line});
    }
  }
  return out;
}

}  // namespace headgate::translate
