#pragma once
// Reads a request of OTLP over HTTP in JSON, more strictly than any collector: every member must be known and have its
// type.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

struct OtlpSpan {
  std::string trace, id, parent, state, name;
  unsigned flags = 0;
  int kind = 0;
  std::uint64_t begun = 0, ended = 0;  ///< nanoseconds since 1970
  int status = 0;
  std::map<std::string, std::string> attributes;  ///< numbers as they are written

  std::string attribute(const std::string& key) const {
    const auto at = attributes.find(key);
    return at == attributes.end() ? "-" : at->second;
  }
};

class OtlpRequest {
 public:
  explicit OtlpRequest(const std::string& body) {
    const auto root = Json::parse(body, nullptr, false);
    if (root.is_discarded()) {
      complain("this is no JSON");
      return;
    }
    members(root, {"resourceSpans"}, "request");
    for (const auto& each : list(root, "resourceSpans")) read_resource(each);
  }

  std::vector<OtlpSpan> spans;
  std::map<std::string, std::string> resource;
  std::string complaints;  ///< empty if everything is correct

  /// Returns the only span of this kind; null if there is none or more than one.
  const OtlpSpan* one_of(int kind) const {
    const auto fits = [kind](const OtlpSpan& span) { return span.kind == kind; };
    if (std::count_if(spans.begin(), spans.end(), fits) != 1) return nullptr;
    return &*std::find_if(spans.begin(), spans.end(), fits);
  }

 private:
  using Json = nlohmann::json;

  void complain(const std::string& what) { complaints += what + '\n'; }

  void members(const Json& object, const std::set<std::string>& known, const std::string& of) {
    if (!object.is_object()) return complain(of + " is no object");
    for (const auto& [key, value] : object.items())
      if (!known.contains(key)) complain(of + " has " + key);
  }
  std::vector<Json> list(const Json& object, const char* key) {
    if (!object.is_object() || !object.contains(key)) return {};
    if (object[key].is_array()) return object[key].get<std::vector<Json>>();
    complain(std::string(key) + " is no list");
    return {};
  }
  std::string text(const Json& object, const char* key) {
    if (!object.contains(key)) return {};
    if (object[key].is_string()) return object[key].get<std::string>();
    complain(std::string(key) + " is no text");
    return {};
  }
  /// 64-bit numbers are strings, because JSON numbers are not exact.
  std::uint64_t number(const Json& object, const char* key) {
    const auto digits = text(object, key);
    const bool decimal = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
    if (!decimal) complain(std::string(key) + " is no number in a text");
    return decimal ? std::stoull(digits) : 0;
  }
  /// In OTLP's JSON, enumerations and 32-bit numbers are JSON numbers.
  unsigned small(const Json& object, const char* key) {
    if (!object.contains(key)) return 0;
    if (object[key].is_number_unsigned()) return object[key].get<unsigned>();
    complain(std::string(key) + " is no number");
    return 0;
  }
  std::string id(const Json& object, const char* key, std::size_t digits) {
    const auto out = text(object, key);
    const bool hex = out.find_first_not_of("0123456789abcdef") == out.npos;
    const bool zero = out.find_first_not_of('0') == out.npos;
    if (out.size() != digits || !hex || zero) complain(std::string(key) + " is no id: " + out);
    return out;
  }
  std::map<std::string, std::string> attributes(const Json& object) {
    std::map<std::string, std::string> out;
    for (const auto& each : list(object, "attributes")) {
      members(each, {"key", "value"}, "attribute");
      const auto key = text(each, "key");
      const auto& value = each.at("value");
      members(value, {"stringValue", "intValue", "boolValue"}, "value of " + key);
      if (key.empty() || value.size() != 1) complain("an attribute is not one key with one value");
      const auto written =
          value.contains("intValue") ? std::to_string(number(value, "intValue")) : text(value, "stringValue");
      if (!out.emplace(key, written).second) complain(key + " is there twice");
    }
    return out;
  }
  void read_resource(const Json& each) {
    members(each, {"resource", "scopeSpans"}, "resourceSpans");
    members(each.at("resource"), {"attributes"}, "resource");
    resource = attributes(each.at("resource"));
    for (const auto& scope : list(each, "scopeSpans")) {
      members(scope, {"scope", "spans"}, "scopeSpans");
      members(scope.at("scope"), {"name", "version"}, "scope");
      for (const auto& span : list(scope, "spans")) read_span(span);
    }
  }
  void read_span(const Json& each) {
    members(each,
            {"traceId", "spanId", "parentSpanId", "traceState", "flags", "name", "kind", "startTimeUnixNano",
             "endTimeUnixNano", "attributes", "status"},
            "span");
    auto& span = spans.emplace_back();
    span.trace = id(each, "traceId", 32);
    span.id = id(each, "spanId", 16);
    if (each.contains("parentSpanId")) span.parent = id(each, "parentSpanId", 16);
    span.state = text(each, "traceState");
    span.flags = small(each, "flags");
    span.name = text(each, "name");
    span.kind = static_cast<int>(small(each, "kind"));
    span.begun = number(each, "startTimeUnixNano");
    span.ended = number(each, "endTimeUnixNano");
    if (span.name.empty() || span.kind < 1 || span.kind > 5) complain("a span without name or kind");
    if (span.begun < 1'000'000'000'000'000'000 || span.begun > span.ended) complain("times that cannot be");
    span.attributes = attributes(each);
    if (!each.contains("status")) return;
    members(each.at("status"), {"code", "message"}, "status");
    span.status = static_cast<int>(small(each.at("status"), "code"));
  }
};

}  // namespace headgate::test
