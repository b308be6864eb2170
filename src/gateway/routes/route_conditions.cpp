#include "headgate/gateway/route_conditions.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/path_regex.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/identity/client_address.hpp"

#include <algorithm>
#include <optional>
#include <variant>

namespace headgate::gateway {
namespace {

Meets value_meets(const std::vector<std::string>& values, std::string_view value) noexcept {
  const bool fits = values.empty() || std::find(values.begin(), values.end(), value) != values.end();
  return fits ? Meets::yes : Meets::no;
}

Meets field_meets(const ValueCondition& wanted, const http::Fields& fields) noexcept {
  const http::Field* found = nullptr;
  for (const auto& field : fields) {
    if (!http::same_variable(field.name, wanted.name)) continue;
    if (found != nullptr || !same_word(field.name, wanted.name)) return Meets::unclear;
    found = &field;
  }
  return found == nullptr ? Meets::no : value_meets(wanted.values, found->value);
}

bool same_name(std::string_view sent, std::string_view wanted, bool any_case) noexcept {
  return any_case ? same_word(sent, wanted) : sent == wanted;
}

/// Returns the character as it appears in PHP's names of variables: PHP replaces '.', ' ' and '[' with '_'.
constexpr char in_variable(char c) noexcept { return c == '.' || c == ' ' || c == '[' ? '_' : c; }

/// Returns whether some server reads the sent name as the wanted one: PHP replaces characters and ends a name at NUL,
/// and many servers read "name[]" and "name[key]" as values of "name".
bool may_mean(std::string_view sent, std::string_view wanted, bool any_case) noexcept {
  sent = trimmed(sent.substr(0, sent.find('\0')));
  if (sent.size() > wanted.size() && sent[wanted.size()] == '[') sent = sent.substr(0, wanted.size());
  return std::equal(sent.begin(), sent.end(), wanted.begin(), wanted.end(), [any_case](char a, char b) {
    const char as = in_variable(a);
    const char bs = in_variable(b);
    return any_case ? same_word({&as, 1}, {&bs, 1}) : as == bs;
  });
}

/// Checks the condition for a query parameter. Some servers also read ';' as a separator, so a parameter after a ';'
/// makes the result unclear.
Meets parameter_meets(const ValueCondition& wanted, std::string_view query, bool any_case) {
  if (query.starts_with('?')) query.remove_prefix(1);
  std::optional<std::string> found;
  std::string name;
  for (char before = '&'; !query.empty();) {
    const auto end = query.find_first_of("&;");
    const auto pair = query.substr(0, end);
    const bool disguised = before == ';';
    before = end == query.npos ? '&' : query[end];
    query = end == query.npos ? std::string_view{} : query.substr(end + 1);
    const auto equals = pair.find('=');
    // Text that decoders read differently is compared in the form in which it was sent.
    if (!http::decode_parameter(pair.substr(0, equals), name)) name = pair.substr(0, equals);
    if (!may_mean(name, wanted.name, any_case)) continue;
    const bool ends_at_semicolon = before == ';' && !query.empty();
    if (found || disguised || ends_at_semicolon || !same_name(name, wanted.name, any_case)) return Meets::unclear;
    const auto value = equals == pair.npos ? std::string_view{} : pair.substr(equals + 1);
    if (!http::decode_parameter(value, found.emplace())) return Meets::unclear;
  }
  return found ? value_meets(wanted.values, *found) : Meets::no;
}

}  // namespace

ConditionRank rank_of(const RouteConditions& conditions) noexcept {
  ConditionRank rank;
  for (const auto* const list : {&conditions.headers, &conditions.query}) {
    rank.count += list->size();
    rank.with_values += static_cast<std::size_t>(
        std::count_if(list->begin(), list->end(), [](const ValueCondition& each) { return !each.values.empty(); }));
  }
  if (conditions.path) {
    ++rank.count;
    ++rank.with_values;
  }
  if (conditions.client_ip.empty()) return rank;
  ++rank.count;
  ++rank.with_values;
  constexpr std::size_t kOfV4 = 96;  // prefix length of the block that contains all IPv4 addresses
  rank.bits = kOfV4 + 33;
  for (const auto& block : conditions.client_ip) {
    const std::size_t before = block.index() == 0 ? kOfV4 : 0;
    rank.bits = std::min(
        rank.bits, 1 + before + std::visit([](const auto& one) -> std::size_t { return one.prefix_length(); }, block));
  }
  return rank;
}

Meets meets(const RouteConditions& conditions, const http::Fields& fields, std::string_view query,
            std::string_view path, const boost::asio::ip::address* client) {
  // A request has one path, so this condition is never unclear.
  if (conditions.path && !conditions.path->matches(path)) return Meets::no;
  bool all = true;
  const auto note = [&all](Meets each) {
    all = all && each == Meets::yes;
    return each != Meets::unclear;
  };
  for (const auto& each : conditions.headers)
    if (!note(field_meets(each, fields))) return Meets::unclear;
  for (const auto& each : conditions.query)
    if (!note(parameter_meets(each, query, conditions.any_case))) return Meets::unclear;
  const auto& blocks = conditions.client_ip;
  all = all && (blocks.empty() || (client != nullptr && identity::contains(blocks, *client)));
  return all ? Meets::yes : Meets::no;
}

}  // namespace headgate::gateway
