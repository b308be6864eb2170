// Reads predicates and filters in both forms: on one line, or with named arguments.

#include "translate/spring/filters.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::translate {
namespace {

std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    out.emplace_back(trimmed(part));
  }
  return out;
}

/// Puts the values of an object into the order of the short form. Their order in the file has no meaning.
void order_values(SpringStep& step) {
  static const std::map<std::string_view, std::vector<std::string_view>> kNames = {
      {"Header", {"header", "regexp"}},
      {"Query", {"param", "regexp"}},
      {"Cookie", {"name", "regexp"}},
      {"Weight", {"group", "weight"}},
      {"AddRequestHeader", {"name", "value"}},
      {"SetRequestHeader", {"name", "value"}},
      {"AddResponseHeader", {"name", "value"}},
      {"SetResponseHeader", {"name", "value"}},
      {"RewritePath", {"regexp", "replacement"}},
      {"RedirectTo", {"status", "url"}}};
  const auto found = kNames.find(step.name);
  if (found == kNames.end()) return;
  std::vector<std::string> values;
  for (const auto name : found->second)
    if (const auto at = step.arguments.find(name); at != step.arguments.end()) values.push_back(at->second);
  if (!values.empty()) step.values = std::move(values);
}

}  // namespace

std::optional<std::uint64_t> spring_time(std::string_view text) {
  std::string plain = lower(text);
  if (plain.starts_with("pt")) plain.erase(0, 2);
  std::uint64_t number = 0;
  const auto [end, wrong] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (wrong != std::errc() || number > 1'000'000'000) return std::nullopt;
  const auto unit = plain.substr(static_cast<std::size_t>(end - plain.data()));
  if (unit.empty() || unit == "ms") return number > 0 ? std::optional(number) : std::nullopt;
  if (unit == "s") return number * 1000;
  if (unit == "m") return number * 60'000;
  if (unit == "h") return number * 3'600'000;
  if (unit == "d") return number * 86'400'000;
  return std::nullopt;
}

std::vector<SpringStep> steps_of(const TreeNode& list) {
  std::vector<SpringStep> out;
  for (const auto* node : list.each()) {
    SpringStep step;
    step.spot = node->spot;
    if (node->is_text()) {
      const auto equals = node->text.find('=');
      step.name = trimmed(std::string_view(node->text).substr(0, equals));
      if (equals != std::string::npos) step.values = values_of(std::string_view(node->text).substr(equals + 1));
      step.text = node->text;
    } else {
      step.name = node->get("name");
      step.text = step.name;
      for (const auto& [key, value] : (*node)["args"].members) {
        if (value.is_text()) {
          step.arguments[key] = value.text;
          for (auto& each : values_of(value.text)) step.values.push_back(std::move(each));
        } else {
          for (auto& each : value.texts()) step.values.push_back(std::move(each));
          for (const auto& [inner, text] : value.members)
            if (text.is_text()) step.arguments[std::string(key).append(1, '.').append(inner)] = text.text;
        }
      }
      // Names may be in kebab case or in camel case.
      for (const auto* name : {"replenish-rate", "burst-capacity", "requested-tokens"}) {
        const auto found = step.arguments.find(std::string("redis-rate-limiter.") + name);
        if (found == step.arguments.end()) continue;
        std::string camel;
        for (const char* c = name; *c != '\0'; ++c)
          camel += *c == '-' && c[1] != '\0' ? static_cast<char>(*++c - ('a' - 'A')) : *c;
        step.arguments["redis-rate-limiter." + camel] = found->second;
      }
      if (const auto found = step.arguments.find("keyResolver"); found != step.arguments.end())
        step.arguments["key-resolver"] = found->second;
    }
    if (!node->is_text()) order_values(step);
    out.push_back(std::move(step));
  }
  return out;
}

}  // namespace headgate::translate
