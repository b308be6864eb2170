#pragma once
// What a route demands of a request beside host, path and method: fields of its head and parameters of its query.

#include "headgate/http/fields.hpp"

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// A field or a parameter that must be there, with one of these values.
struct ValueCondition {
  std::string name;
  std::vector<std::string> values;  ///< compared with case; empty: any value, also an empty one
  bool operator==(const ValueCondition&) const = default;
};

/// All of them must hold. Each name occurs once.
struct RouteConditions {
  std::vector<ValueCondition> headers;  ///< names are compared without case (RFC 9110 section 5.1)
  std::vector<ValueCondition> query;    ///< names and values are compared percent-decoded; names with case
  bool any_case = false;                ///< whether names of parameters are compared without case, too
  bool empty() const noexcept { return headers.empty() && query.empty(); }
  bool operator==(const RouteConditions&) const = default;
};

/// How specific conditions are: the number of conditions, and how many of them name values.
struct ConditionRank {
  std::size_t count = 0;
  std::size_t with_values = 0;
  auto operator<=>(const ConditionRank&) const = default;
};
ConditionRank rank_of(const RouteConditions& conditions) noexcept;

/// `unclear`: a reader of the request could find another value than we do. The name stands twice, or in a spelling that
/// some servers take for it: a field with '_' for '-' (RFC 3875 section 4.1.18), a parameter after ';', or with a
/// broken escape.
enum class Meets { no, yes, unclear };

/// `query` begins with '?' or is empty. Unclear if one of the conditions is, also if another one does not hold: so no
/// caller can leave a route by writing a name twice.
Meets meets(const RouteConditions& conditions, const http::Fields& fields, std::string_view query);

}  // namespace headgate::gateway
