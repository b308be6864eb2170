// Translates acl and "if" into tests of requests.

#include "translate/draft/escape.hpp"
#include "translate/draft/path_regex.hpp"
#include "translate/haproxy/work.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::translate {
namespace {

constexpr std::size_t kMaxAlternatives = 200;

/// Splits "name(argument)".
std::pair<std::string, std::string> call_of(std::string_view word) {
  const auto open = word.find('(');
  if (open == std::string_view::npos) return {std::string(word), {}};
  const auto close = word.find(')', open);
  return {std::string(word.substr(0, open)),
          std::string(word.substr(open + 1, close == std::string_view::npos ? close : close - open - 1))};
}

/// Reads which counter is meant by "sc_http_req_rate(0)", "sc0_http_req_rate" or "src_http_req_rate(table)". Returns
/// false if `name` does not end in `end`.
bool counter_of(const std::string& name, const std::string& argument, std::string_view end, HaproxyTest& out) {
  if (!name.ends_with(end)) return false;
  const auto begin = name.substr(0, name.size() - end.size());
  if (begin == "sc_") {
    out.counter = argument.substr(0, argument.find(','));
    if (argument.find(',') != std::string::npos) out.table = argument.substr(argument.find(',') + 1);
  } else if (begin.size() == 4 && begin.starts_with("sc") && begin.back() == '_') {
    out.counter = begin.substr(2, 1);
  } else if (begin == "src_") {
    out.counter = "src";
    out.table = argument;
  } else {
    return false;
  }
  return true;
}

/// Sets how many requests pass before "gt 10" or "ge 10" is true.
bool set_number(const std::vector<std::string>& values, HaproxyTest& out) {
  if (values.size() != 2) return false;
  const auto number = whole_count(values[1]);
  if (!number || (values[0] != "gt" && values[0] != "ge") || (values[0] == "ge" && *number == 0)) return false;
  out.number = values[0] == "gt" ? *number : *number - 1;
  return true;
}

/// Converts "path_end .php", "path_sub x" or "path_reg ^/x" to a regular expression. Returns false for other tests and
/// for expressions that headgate does not support.
bool set_expression(const std::string& name, const std::string& method, bool any_case,
                    std::vector<std::string>& values) {
  const bool end = name == "path_end" || (name == "path" && method == "end");
  const bool part = name == "path_sub" || (name == "path" && method == "sub");
  const bool regex = name == "path_reg" || (name == "path" && method == "reg");
  if ((!end && !part && !regex) || values.empty()) return false;
  std::vector<std::string> all;
  for (const auto& value : values) {
    // headgate compares paths without a slash at their end.
    if (!regex && (value.empty() || value.ends_with('/') || value.find_first_of("%; ") != std::string::npos))
      return false;
    all.push_back(regex ? regex_path(value, Begins::anywhere).matches : ".*" + escaped_text(value) + (end ? "" : ".*"));
    if (all.back().empty()) return false;
  }
  values = {(any_case ? "(?i)" : "") + (all.size() == 1 ? all.front() : "(?:" + joined(all, "|") + ")")};
  return true;
}

/// Parses a criterion and its values.
HaproxyTest test_of(const std::vector<std::string>& words) {
  HaproxyTest out;
  out.text = joined(words, " ");
  if (words.empty()) return out;
  const auto [name, argument] = call_of(words.front());
  std::string method;
  std::vector<std::string> values;
  bool with_file = false;
  bool any_case = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-m" && i + 1 < words.size())
      method = words[++i];
    else if (words[i] == "-f")
      with_file = true;
    else if (words[i] == "-i")
      any_case = true;
    else if (words[i] != "-n" && words[i] != "--")
      values.push_back(words[i]);
  }
  if (with_file) return out;
  using Kind = HaproxyTest::Kind;
  if (counter_of(name, argument, "http_req_rate", out)) {
    out.kind = set_number(values, out) && out.number > 0 ? Kind::request_rate : Kind::other;
  } else if (counter_of(name, argument, "conn_cur", out)) {
    out.kind = set_number(values, out) && out.number > 0 ? Kind::connections : Kind::other;
  } else if (counter_of(name, argument, "conn_rate", out)) {
    out.kind = set_number(values, out) && out.number > 0 ? Kind::connection_rate : Kind::other;
  } else if (name == "path_beg" || (name == "path" && method == "beg")) {
    out.kind = Kind::path_prefix;
  } else if (name == "path" && (method.empty() || method == "str")) {
    out.kind = Kind::path;
  } else if (set_expression(name, method, any_case, values)) {
    out.kind = Kind::path_matches;
  } else if (name == "method") {
    out.kind = Kind::method;
  } else if (name == "src" && method.empty() && !values.empty()) {
    out.kind = Kind::source;
  } else if (name == "ssl_fc") {
    out.kind = Kind::over_tls;
  } else if (name == "always_true" || name == "TRUE") {
    out.kind = Kind::always;
  } else if (name == "hdr" || name == "req.hdr" || name == "hdr_dom" || name == "hdr_end" || name == "req.fhdr") {
    const bool host = same_word(argument.substr(0, argument.find(',')), "host");
    if (host && (name == "hdr_end" || method == "end"))
      for (auto& value : values)
        if (value.starts_with('.')) value.insert(0, "*");
    if (host)
      out.kind = Kind::host;
    else if ((name == "hdr" || name == "req.hdr" || name == "req.fhdr") &&
             (method.empty() || method == "str" || method == "found"))
      out.kind = Kind::header;
    if (out.kind == Kind::header) out.name = argument.substr(0, argument.find(','));
    if (method == "found") values.clear();
    if (host && (method == "beg" || method == "reg" || method == "sub")) out.kind = Kind::other;
  }
  if ((out.kind == Kind::path_prefix || out.kind == Kind::path || out.kind == Kind::host || out.kind == Kind::method) &&
      values.empty())
    out.kind = Kind::other;
  const bool of_path = out.kind == Kind::path_prefix || out.kind == Kind::path;
  // A route may match fewer requests than HAProxy: HAProxy compares each element of a list in a field, headgate the
  // whole field.
  out.approximate = name == "hdr_dom" || (any_case && of_path) || (out.kind == Kind::header && !values.empty());
  out.values = std::move(values);
  return out;
}

/// Returns the tests of an acl. An acl with several lines has several alternatives.
std::vector<HaproxyTest> tests_named(const HaproxyProxy& proxy, std::string_view name) {
  const auto found = proxy.acls.find(name);
  if (found != proxy.acls.end()) return found->second;
  static const std::map<std::string, std::string, std::less<>> kPredefined = {{"METH_GET", "GET HEAD"},
                                                                              {"METH_POST", "POST"},
                                                                              {"METH_OPTIONS", "OPTIONS"},
                                                                              {"METH_PUT", "PUT"},
                                                                              {"METH_DELETE", "DELETE"}};
  HaproxyTest out;
  out.text = name;
  if (name == "TRUE") out.kind = HaproxyTest::Kind::always;
  if (const auto method = kPredefined.find(name); method != kPredefined.end()) {
    out.kind = HaproxyTest::Kind::method;
    if (name == "METH_GET")
      out.values = {"GET", "HEAD"};
    else
      out.values = {method->second};
  }
  return {out};
}

}  // namespace

std::optional<std::uint64_t> haproxy_time(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || number > 1'000'000'000) return std::nullopt;
  const auto unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty() || unit == "ms") return number;
  if (unit == "us") return number / 1000;
  if (unit == "s") return number * 1000;
  if (unit == "m") return number * 60'000;
  if (unit == "h") return number * 3'600'000;
  if (unit == "d") return number * 86'400'000;
  return std::nullopt;
}

void find_acls(HaproxyProxy& proxy) {
  for (const auto* line : proxy.lines)
    if (line->begins("acl") && line->words.size() > 2)
      proxy.acls[line->words[1]].push_back(test_of({line->words.begin() + 2, line->words.end()}));
}

namespace {

/// Collects the alternatives of a condition while it is read.
class HaproxyAlternatives {
 public:
  explicit HaproxyAlternatives(Spot spot) : spot_(std::move(spot)) {}

  /// Adds an acl with its lines to the condition. The acl holds if one of its lines matches; a negated acl holds if
  /// none matches.
  void add(const std::vector<HaproxyTest>& tests, bool negated) {
    const auto with = [negated](HaproxyTests alternative, HaproxyTest test) {
      test.negated = test.negated != negated;
      alternative.push_back(std::move(test));
      return alternative;
    };
    std::vector<HaproxyTests> out;
    for (auto& alternative : open_) {
      for (const auto& test : tests) {
        if (negated)
          alternative = with(std::move(alternative), test);
        else
          out.push_back(with(alternative, test));
      }
      if (negated) out.push_back(std::move(alternative));
    }
    bound(out.size() + done_.size());
    open_ = std::move(out);
  }

  void next() {
    done_.insert(done_.end(), open_.begin(), open_.end());
    open_.assign(1, {});
  }

  std::vector<HaproxyTests> all() {
    next();
    return done_;
  }

  /// Returns the alternatives for "unless". In each of them, one test of every original alternative must fail.
  std::vector<HaproxyTests> contrary() {
    std::vector<HaproxyTests> out(1);
    for (const auto& alternative : all()) {
      std::vector<HaproxyTests> longer;
      for (const auto& begun : out)
        for (auto test : alternative) {
          test.negated = !test.negated;
          longer.push_back(begun);
          longer.back().push_back(std::move(test));
          bound(longer.size());
        }
      out = std::move(longer);
    }
    return out;
  }

 private:
  void bound(std::size_t count) const {
    if (count > kMaxAlternatives)
      throw Unreadable(spot_, "this condition has more than " + std::to_string(kMaxAlternatives) + " alternatives");
  }

  Spot spot_;
  std::vector<HaproxyTests> done_;
  std::vector<HaproxyTests> open_{1};
};

}  // namespace

std::vector<HaproxyTests> conditions_of(const HaproxyProxy& proxy, const HaproxyLine& line) {
  auto at = std::find_if(line.words.begin(), line.words.end(),
                         [](const auto& word) { return word == "if" || word == "unless"; });
  if (at == line.words.end()) return {};
  const bool unless = *at == "unless";
  HaproxyAlternatives alternatives(line.spot);
  bool negated = false;
  for (++at; at != line.words.end(); ++at) {
    std::string_view word = *at;
    if (word == "or" || word == "||") {
      alternatives.next();
      continue;
    }
    while (word.starts_with('!')) {
      negated = !negated;
      word.remove_prefix(1);
    }
    if (word.empty()) continue;
    if (word == "{") {
      const auto close = std::find(at, line.words.end(), "}");
      alternatives.add({test_of({at + 1, close})}, negated);
      if (close == line.words.end()) break;
      at = close;
    } else {
      alternatives.add(tests_named(proxy, word), negated);
    }
    negated = false;
  }
  return unless ? alternatives.contrary() : alternatives.all();
}

const HaproxyLine* last_line(const HaproxyProxy& proxy, std::string_view first, std::string_view second) {
  const HaproxyLine* out = nullptr;
  for (const auto* line : proxy.lines)
    if (line->begins(first, second)) out = line;
  return out;
}

}  // namespace headgate::translate
