#pragma once
// What a route demands of a request beside host, path and method: fields of its head, parameters of its query, a
// regular expression of its path, and where it comes from.

#include "headgate/http/fields.hpp"
#include "headgate/identity/options.hpp"

#include <boost/asio/ip/address.hpp>

#include <compare>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

class PathRegex;

/// A field or a parameter that must be there, with one of these values.
struct ValueCondition {
  std::string name;
  std::vector<std::string> values;  ///< compared with case; empty: any value, also an empty one
  bool operator==(const ValueCondition&) const = default;
};

/// All of them must hold. Each name occurs once.
struct RouteConditions {
  std::vector<ValueCondition> headers;         ///< names are compared without case (RFC 9110 section 5.1)
  std::vector<ValueCondition> query;           ///< names and values are compared percent-decoded; names with case
  std::vector<identity::Network> client_ip{};  ///< the client's address is in one of them; empty: any address
  bool any_case = false;                       ///< whether names of parameters are compared without case, too
  std::string path_pattern{};                  ///< a regular expression as it is written; empty: none
  std::shared_ptr<const PathRegex> path{};     ///< the same, compiled; null: none
  bool empty() const noexcept { return headers.empty() && query.empty() && client_ip.empty() && !path; }
  bool operator==(const RouteConditions& other) const noexcept {
    return headers == other.headers && query == other.query && client_ip == other.client_ip &&
           any_case == other.any_case && path_pattern == other.path_pattern;
  }
};

/// How specific conditions are: the number of conditions, how many of them name values, and how small the largest block
/// of addresses is.
struct ConditionRank {
  std::size_t count = 0;
  std::size_t with_values = 0;
  std::size_t bits = 0;  ///< of the prefix of that block, as one of IPv6; 0: without a condition for addresses
  auto operator<=>(const ConditionRank&) const = default;
};
ConditionRank rank_of(const RouteConditions& conditions) noexcept;

/// `unclear`: a reader of the request could find another value than we do. The name stands twice, or in a spelling that
/// some servers take for it: a field with '_' for '-' (RFC 3875 section 4.1.18), a parameter after ';', or with a
/// broken escape.
enum class Meets { no, yes, unclear };

/// `query` begins with '?' or is empty, `path` is normalised. Unclear if one of the conditions is, also if another one
/// does not hold: so no caller can leave a route by writing a name twice. `client`: null if it is not known, and then
/// in no block.
Meets meets(const RouteConditions& conditions, const http::Fields& fields, std::string_view query,
            std::string_view path, const boost::asio::ip::address* client = nullptr);

}  // namespace headgate::gateway
