// Reads files of policy tests.

#include "config/check.hpp"
#include "config/policy_tests/words.hpp"
#include "config/schema.hpp"
#include "config/text/codes.hpp"
#include "config/text/document.hpp"
#include "config/text/paths.hpp"
#include "config/text/report.hpp"
#include "config/values.hpp"

#include "headgate/config/policy_tests.hpp"
#include "headgate/core/json_text.hpp"

#include <algorithm>
#include <exception>
#include <unordered_map>

namespace headgate::config {
namespace {

/// Appends the value as strict JSON.
void append_json(const Node& node, std::string& out) {
  const auto quoted = [&out](std::string_view text) {
    out += '"';
    append_json_text(out, text);
    out += '"';
  };
  if (node.kind == Kind::string) return quoted(node.text);
  if (node.kind != Kind::object && node.kind != Kind::list) {
    out += node.kind == Kind::null ? "null" : node.text;
    return;
  }
  const bool object = node.kind == Kind::object;
  out += object ? '{' : '[';
  for (const Node* child : node.children) {
    if (child != node.children.front()) out += ',';
    if (object) {
      quoted(child->key);
      out += ':';
    }
    append_json(*child, out);
  }
  out += object ? '}' : ']';
}

class TestReader {
 public:
  explicit TestReader(const LineIndex& lines) : lines_(lines) {}

  TestPlace place(const Node& node, Span span) const {
    const auto begin = lines_.at(span.begin);
    const auto end = lines_.at(std::max(span.end, span.begin + 1));
    return {.line = begin.line,
            .column = begin.column,
            .end_column = end.line == begin.line ? end.column : begin.column + 1,
            .pointer = pointer(node)};
  }
  TestPlace place(const Node& node) const { return place(node, node.span); }

  PolicyTest test(const Node& node) const {
    PolicyTest out;
    out.start = *read_moment(kFirstMoment);
    if (const Node* name = text_at(&node, "name")) out.name = {name->text, place(*name)};
    if (const Node* start = text_at(&node, "start"))
      if (const auto read = read_moment(start->text); read.has_value()) out.start = *read;
    for (const Node* each : children(find(&node, "steps"), Kind::list))
      if (each->kind == Kind::object) out.steps.push_back(step(*each));
    return out;
  }

 private:
  TestStep step(const Node& node) const {
    if (const Node* wait = text_at(&node, "wait")) {
      WaitStep out;
      read(&node, "wait", out.time);
      return {out, place(*wait)};
    }
    if (const Node* redis = text_at(&node, "redis")) return {RedisStep{redis->text == "up"}, place(*redis)};
    if (const Node* domain = text_at(&node, "domain")) return {call(node, *domain), place(*domain)};
    const Node* sent = text_at(&node, "send");
    return {send(node, sent), place(sent == nullptr ? node : *sent)};
  }

  SendStep call(const Node& node, const Node& domain) const {
    SendStep out;
    auto& call = out.call.emplace();
    call.domain = domain.text;
    for (const Node* each : children(find(&node, "descriptors"), Kind::list)) {
      auto& entries = call.descriptors.emplace_back().entries;
      for (const Node* entry : children(each, Kind::object)) entries.emplace_back(entry->key, entry->text);
      std::ranges::sort(entries);
    }
    call.hits = 1;
    read_number(&node, "hits", call.hits);
    read_number(&node, "times", out.times);
    expectation(find(&node, "expect"), out.expect);
    return out;
  }

  SendStep send(const Node& node, const Node* sent) const {
    SendStep out;
    if (sent != nullptr)
      if (const auto line = read_sent(sent->text); line.has_value()) {
        out.method = line->method;
        out.tls = line->tls;
        out.host = line->host;
        out.path = line->path;
        out.query = line->query;
      }
    read(&node, "ip", out.ip);
    fields(find(&node, "headers"), out.fields);
    if (const Node* claims = find(&node, "claims"); claims != nullptr && claims->kind == Kind::object)
      append_json(*claims, out.claims);
    out.api_key_owner = placed_text(&node, "api_key_owner");
    out.user = placed_text(&node, "user");
    if (const Node* certificate = find(&node, "certificate")) {
      auto& shown = out.certificate.emplace();
      read(certificate, "subject", shown.subject);
      read(certificate, "san", shown.names);
      read(certificate, "sha256", shown.sha256);
    }
    read_size(&node, "body", out.bytes);
    json_body(&node, out.bytes, out.json, out.fields);
    read_number(&node, "times", out.times);
    const Node* answer = find(&node, "answer");
    read_number(answer, "status", out.answer.status);
    fields(find(answer, "headers"), out.answer.fields);
    read_size(answer, "body", out.answer.bytes);
    json_body(answer, out.answer.bytes, out.answer.json, out.answer.fields);
    read(answer, "after", out.answer.after);
    expectation(find(&node, "expect"), out.expect);
    return out;
  }

  /// Reads a body that is written as JSON, and gives it its Content-Type unless the step has one.
  static void json_body(const Node* node, std::uint64_t& bytes, std::string& json, TestFields& fields) {
    const Node* written = find(node, "json");
    if (written == nullptr) return;
    append_json(*written, json);
    bytes = json.size();
    const auto is_type = [](const auto& field) { return same_word(field.first, "Content-Type"); };
    if (std::ranges::none_of(fields, is_type)) fields.emplace_back("Content-Type", "application/json");
  }

  void expectation(const Node* node, Expectation& out) const {
    placed_number(node, "allowed", out.allowed);
    placed_number(node, "rejected", out.rejected);
    placed_number(node, "refused", out.refused);
    placed_number(node, "status", out.status);
    out.limit = placed_text(node, "limit");
    out.tier = placed_text(node, "tier");
    placed_duration(node, "retry_after", out.retry_after);
    placed_number(node, "remaining", out.remaining);
    out.route = placed_text(node, "route");
    out.upstream = placed_text(node, "upstream");
    placed_duration(node, "took", out.took);
    out.code = placed_text(node, "code");
    if (const Node* codes = find(node, "codes")) {
      auto& list = out.codes.emplace();
      for (const Node* each : texts(codes)) list.value.push_back(each->text);
      list.place = place(*codes);
    }
    for (const Node* each : children(find(node, "headers"), Kind::object)) {
      auto& field = out.fields.emplace_back();
      field.name = each->key;
      field.place = place(*each);
      if (each->kind == Kind::string)
        field.value = each->text;
      else
        field.value = each->text == "true";
    }
  }

  static void fields(const Node* node, TestFields& out) {
    for (const Node* each : children(node, Kind::object))
      for (const Node* value : texts(each)) out.emplace_back(each->key, value->text);
  }

  static void read_size(const Node* node, std::string_view key, std::uint64_t& out) {
    const Node* text = text_at(node, key);
    if (text == nullptr) return;
    if (const auto bytes = parse_size(text->text); bytes.has_value()) out = *bytes;
  }

  std::optional<ValueWithPlace<std::string>> placed_text(const Node* node, std::string_view key) const {
    const Node* text = text_at(node, key);
    if (text == nullptr) return std::nullopt;
    return ValueWithPlace<std::string>{text->text, place(*text)};
  }

  template <class Number>
  void placed_number(const Node* node, std::string_view key, std::optional<ValueWithPlace<Number>>& out) const {
    const Node* number = find(node, key);
    if (number == nullptr) return;
    read_number(node, key, out.emplace().value);
    out->place = place(*number);
  }

  void placed_duration(const Node* node, std::string_view key, std::optional<ValueWithPlace<Duration>>& out) const {
    const Node* text = text_at(node, key);
    if (text == nullptr) return;
    read(node, key, out.emplace().value);
    out->place = place(*text);
  }

  const LineIndex& lines_;
};

/// Reports keys of a step that have no meaning together with the key that says what the step does.
void check_step(const Node& step, Report& report) {
  const Node* kind = nullptr;
  for (const char* const each : {"send", "domain", "wait", "redis"})
    if (kind == nullptr) kind = find(&step, each);
  if (kind == nullptr) return;  // this error has already been reported
  const bool sends = kind->key == "send";
  const bool calls = kind->key == "domain";
  const auto is_one_of = [](std::span<const std::string_view> keys, const Node& member) {
    return std::ranges::find(keys, member.key) != keys.end();
  };
  for (const Node* member : step.children) {
    if ((!sends && is_one_of(kOfSend, *member)) || (!sends && !calls && is_one_of(kOfBoth, *member)))
      report.error_at_key(code::kConflict, *member, in_quotes(member->key) + " says something of a request",
                          "put it beside \"send\"; a step with " + in_quotes(kind->key) + " sends none");
    if (!calls && is_one_of(kOfCall, *member))
      report.error_at_key(code::kConflict, *member,
                          in_quotes(member->key) + " says something of a call of the rate limit service",
                          "put it beside \"domain\"");
  }
  if (calls && find(&step, "descriptors") == nullptr)
    report.error(code::kMissing, *kind, "the call has no descriptors",
                 R"(add "descriptors": [{ "generic_key": "login" }])");
  for (const Node* member : children(find(&step, "expect"), Kind::object))
    if ((sends && is_one_of(kExpectedOfCall, *member)) || (calls && is_one_of(kExpectedOfSend, *member)))
      report.error_at_key(code::kConflict, *member,
                          in_quotes(member->key) + (sends ? " describes an answer of the rate limit service"
                                                          : " does not describe an answer of the rate limit service"),
                          sends ? R"(expect a "status", or send a call with "domain" and "descriptors")"
                                : R"(expect a "code", or codes of the descriptors with "codes")");
}

void check_tests(const Node& root, Report& report) {
  std::unordered_map<std::string_view, const Node*> names;
  for (const Node* test : children(find(&root, "tests"), Kind::list)) {
    if (const Node* name = text_at(test, "name"))
      if (const auto [before, added] = names.emplace(name->text, name); !added)
        report.error(code::kDuplicate, *name,
                     "the test at " + report.place(before->second->span.begin) + " has this name too",
                     "name what is different");
    for (const Node* step : children(find(test, "steps"), Kind::list))
      if (step->kind == Kind::object) check_step(*step, report);
  }
}

/// Maximum size of a file of tests, in bytes. It is small because a step of twenty bytes takes a hundred times as many
/// in memory.
constexpr std::size_t kLongestTests = 8UL * 1024 * 1024;

LoadedPolicyTests load_tests_text(std::string_view source, const std::string& directory, Report& report) {
  if (source.size() > kLongestTests) {
    report.error(code::kTooBig, {0, 1}, {}, "a file of policy tests has at most 8 MiB", "divide it");
    return {.file = {}, .diagnostics = report.take()};
  }
  const auto parsed = parse(source, report);
  const Node* root = parsed.document.root;
  LoadedPolicyTests out;
  if (parsed.complete && root->kind == Kind::object) {
    check(*root, kPolicyTestsSection, report);
    check_tests(*root, report);
    if (!report.has_errors()) {
      const LineIndex lines(source);
      const TestReader reader(lines);
      auto& file = out.file.emplace();
      const Node& config = *find(root, "config");
      file.config = {resolved(config.text, directory), reader.place(config)};
      for (const Node* test : find(root, "tests")->children) file.tests.push_back(reader.test(*test));
    }
  } else if (parsed.complete && root->kind != Kind::broken) {
    report.error(code::kType, *root, "a file of policy tests is an object", "begin it with '{'");
  }
  out.diagnostics = report.take();
  return out;
}

}  // namespace

LoadedPolicyTests load_policy_tests(std::string_view source, const std::string& directory) {
  Report report(source);
  return load_tests_text(source, directory, report);
}

std::string policy_tests_schema() {
  return schema_of(kPolicyTestsSection, "headgate policy tests",
                   "Policy tests of headgate. Generated from the table `headgate test` walks; do not edit.",
                   Placeholders::none);
}

std::string policy_tests_reference() { return reference_of(kPolicyTestsSection); }

}  // namespace headgate::config
