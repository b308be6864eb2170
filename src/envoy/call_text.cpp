#include "headgate/envoy/call_text.hpp"

#include "headgate/core/json_reader.hpp"
#include "headgate/core/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace headgate::envoy {
namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_json_text(out, text);
  out += '"';
}

std::uint64_t hits_of(const RateLimitRequest& request, const Descriptor& descriptor) noexcept {
  return descriptor.hits.value_or(std::max<std::uint64_t>(request.hits, 1));
}

bool read_descriptor(JsonReader& json, Descriptor& out) {
  std::string key;
  std::string value;
  const bool read = json.object([&] { return json.text(key); },
                                [&] {
                                  if (!json.text(value)) return false;
                                  out.entries.emplace_back(key, value);
                                  return true;
                                });
  std::ranges::sort(out.entries);
  return read;
}

bool read_hits(JsonReader& json, std::vector<std::int64_t>& out) {
  return json.list([&] {
    std::string_view number;
    if (!json.number(number)) return false;
    const auto* const end = number.data() + number.size();
    const auto [at, wrong] = std::from_chars(number.data(), end, out.emplace_back());
    return wrong == std::errc() && at == end;
  });
}

}  // namespace

std::string call_text(const RateLimitRequest& request) {
  std::string out = R"({"domain":)";
  append_quoted(out, request.domain);
  out += R"(,"descriptors":[)";
  for (const auto& descriptor : request.descriptors) {
    if (out.back() != '[') out += ',';
    out += '{';
    for (const auto& [key, value] : descriptor.entries) {
      if (out.back() != '{') out += ',';
      append_quoted(out, key);
      out += ':';
      append_quoted(out, value);
    }
    out += '}';
  }
  out += ']';
  const auto is_one = [&](const Descriptor& each) { return !each.gives_back && hits_of(request, each) == 1; };
  if (!std::ranges::all_of(request.descriptors, is_one)) {
    out += R"(,"hits":[)";
    for (const auto& each : request.descriptors) {
      if (out.back() != '[') out += ',';
      out.append(each.gives_back ? "-" : "").append(std::to_string(hits_of(request, each)));
    }
    out += ']';
  }
  return out += '}';
}

std::optional<RateLimitRequest> call_in(std::string_view text) {
  JsonReader json(text);
  RateLimitRequest out;
  std::vector<std::int64_t> hits;
  std::string name;
  const bool read =
      json.object([&] { return json.text(name); },
                  [&] {
                    if (name == "domain") return json.text(out.domain);
                    if (name == "hits") return read_hits(json, hits);
                    if (name != "descriptors") return json.pass();
                    return json.list([&] { return read_descriptor(json, out.descriptors.emplace_back()); });
                  });
  if (!read || !json.at_end() || out.domain.empty() || (!hits.empty() && hits.size() != out.descriptors.size()))
    return std::nullopt;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    auto& descriptor = out.descriptors[i];
    descriptor.gives_back = hits[i] < 0;
    descriptor.hits = descriptor.gives_back ? std::uint64_t{0} - static_cast<std::uint64_t>(hits[i])
                                            : static_cast<std::uint64_t>(hits[i]);
  }
  return out;
}

}  // namespace headgate::envoy
