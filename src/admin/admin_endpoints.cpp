#include "headgate/admin/admin_endpoints.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/named_values.hpp"

#include <algorithm>
#include <optional>

namespace headgate::admin {
namespace {

using Parameters = std::vector<std::pair<std::string_view, std::string>>;
constexpr std::size_t kLongestName = 64;

using Segments = std::vector<std::string>;

/// Removes and returns the text up to the next slash, and removes that slash.
std::string_view take_segment(std::string_view& path) noexcept {
  const auto slash = std::min(path.find('/'), path.size());
  const auto segment = path.substr(0, slash);
  path.remove_prefix(std::min(slash + 1, path.size()));
  return segment;
}

/// Decodes percent escapes. Malformed escapes cannot occur, because the parser of request heads refuses them; they
/// would stay as they are.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int byte = text[at] == '%' ? hex_byte(text.substr(at + 1)) : -1;
    out += byte < 0 ? text[at] : static_cast<char>(byte);
    if (byte >= 0) at += 2;
  }
  return out;
}

/// Splits a path into segments, and only then decodes them, so that an escaped slash separates nothing. Repeated
/// slashes count as one, for base URLs that end with a slash. The last segment may be empty.
Segments segments_of(std::string_view path) {
  Segments out;
  while (!path.empty()) {
    path.remove_prefix(1);  // Removes the slash.
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    if (!segment.empty() || path.empty()) out.push_back(unescaped(segment));
  }
  return out;
}

std::optional<Parameters> match(std::string_view pattern, const Segments& segments) {
  Parameters parameters;
  pattern.remove_prefix(1);
  if (pattern.empty()) return segments == Segments{""} ? std::optional(std::move(parameters)) : std::nullopt;
  for (const auto& given : segments) {
    if (pattern.empty()) return std::nullopt;
    const auto wanted = take_segment(pattern);
    const bool any = wanted.starts_with('{') && wanted.ends_with('}');
    if (any ? given.empty() : wanted != given) return std::nullopt;
    if (any) parameters.emplace_back(wanted.substr(1, wanted.size() - 2), given);
  }
  return pattern.empty() ? std::optional(std::move(parameters)) : std::nullopt;
}

struct QueryParameter {
  std::string_view name;  ///< Still escaped, like the value.
  std::string_view value;
};

/// Removes and returns the first parameter of a query.
QueryParameter take_parameter(std::string_view& query) noexcept {
  const auto end = std::min(query.find('&'), query.size());
  const auto one = query.substr(0, end);
  query.remove_prefix(std::min(end + 1, query.size()));
  const auto equals = std::min(one.find('='), one.size());
  return {one.substr(0, equals), one.substr(std::min(equals + 1, one.size()))};
}

std::string names_of(const std::vector<AdminAbout::Parameter>& parameters) {
  if (parameters.empty()) return "It has none.";
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const auto& each : parameters) names.push_back('"' + std::string(each.name) + '"');
  return "It has " + joined(names, ", ") + '.';
}

}  // namespace

std::string_view role_text(AdminRole role) noexcept {
  static constexpr WordsUpTo<AdminRole::operator_> kWords({"local", "reader", "operator"});
  return kWords[role];
}

std::string_view AdminCall::parameter(std::string_view name) const noexcept {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& one) { return one.first == name; });
  return found == parameters.end() ? std::string_view() : found->second;
}

std::optional<std::string> AdminCall::asked(std::string_view name) const {
  std::optional<std::string> out;
  for (auto rest = query.substr(query.starts_with('?') ? 1 : 0); !rest.empty();) {
    const auto one = take_parameter(rest);
    std::string called;
    if (!http::decode_parameter(one.name, called) || called != name) continue;
    if (out) return std::nullopt;
    if (!http::decode_parameter(one.value, out.emplace())) return std::nullopt;
  }
  return out;
}

std::string wrong_query(const AdminEndpoint& endpoint, std::string_view query) {
  const auto& known = endpoint.about.query;
  // Unknown parameters are only refused below /api/: probes and scrapers may add any.
  if (endpoint.about.summary.empty() || !endpoint.path.starts_with("/api/")) return {};
  std::vector<std::string_view> there;
  for (auto rest = query.substr(query.starts_with('?') ? 1 : 0); !rest.empty();) {
    const auto one = take_parameter(rest);
    if (one.name.empty() && one.value.empty()) continue;
    std::string called;
    std::string value;
    if (!http::decode_parameter(one.name, called) || !http::decode_parameter(one.value, value))
      return "An escape in the query is broken: write %25 for a percent sign.";
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.name == called; });
    if (found == known.end())
      return "This call has no parameter \"" + std::string(one.name.substr(0, kLongestName)) + "\". " + names_of(known);
    if (std::find(there.begin(), there.end(), found->name) != there.end())
      return "The parameter \"" + called + "\" is there more than once.";
    there.push_back(found->name);
  }
  return {};
}

AdminMatch find_endpoint(std::span<const AdminEndpoint> endpoints, std::string_view method, std::string_view path) {
  AdminMatch out;
  const auto segments = segments_of(path);
  for (const auto& each : endpoints) {
    auto parameters = match(each.path, segments);
    if (!parameters) continue;
    if (out.path == nullptr) out.path = &each;
    out.allowed += (out.allowed.empty() ? "" : ", ") + std::string(each.method);
    const bool read = each.method == "GET";
    if (read) out.allowed += ", HEAD";
    if (out.endpoint != nullptr || (each.method != method && !(read && method == "HEAD"))) continue;
    out.endpoint = &each;
    out.parameters = std::move(*parameters);
  }
  return out;
}

}  // namespace headgate::admin
