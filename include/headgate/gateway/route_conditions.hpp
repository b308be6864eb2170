#pragma once
// The conditions of a route on a request, in addition to host, path and method: fields of the head, parameters of the
// query, a regular expression for the path, and the client's address.

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

/// A field or a parameter that must be present with one of these values.
struct ValueCondition {
  std::string name;
  std::vector<std::string> values;  ///< compared with case; empty for any value, including an empty one
  bool operator==(const ValueCondition&) const = default;
};

/// The conditions of one route, all of which must hold. Each name occurs once.
struct RouteConditions {
  std::vector<ValueCondition> headers;  ///< names are compared without case (RFC 9110 section 5.1)
  std::vector<ValueCondition> query;    ///< names and values are compared percent-decoded; names with case
  /// blocks, one of which must contain the client's address; empty for any address
  std::vector<identity::Network> client_ip{};
  bool any_case = false;                    ///< whether case is also ignored in the names of parameters
  std::string path_pattern{};               ///< the source of a regular expression; empty if there is none
  std::shared_ptr<const PathRegex> path{};  ///< the compiled expression; null if there is none
  bool empty() const noexcept { return headers.empty() && query.empty() && client_ip.empty() && !path; }
  bool operator==(const RouteConditions& other) const noexcept {
    return headers == other.headers && query == other.query && client_ip == other.client_ip &&
           any_case == other.any_case && path_pattern == other.path_pattern;
  }
};

/// A measure of how specific conditions are: the number of conditions, the number of them that name values, and the
/// size of the largest block of addresses.
struct ConditionRank {
  std::size_t count = 0;
  std::size_t with_values = 0;
  std::size_t bits = 0;  ///< prefix length of the largest block, counted as in IPv6; 0 without a condition on addresses
  auto operator<=>(const ConditionRank&) const = default;
};
ConditionRank rank_of(const RouteConditions& conditions) noexcept;

/// Whether conditions hold. They are `unclear` if a server could find another value in the request than the gateway
/// does. This is so if a name appears twice, or in a spelling that some servers treat as the same name. Examples of
/// such spellings are a field with '_' for '-' (RFC 3875 section 4.1.18), and a parameter after ';' or with a broken
/// escape.
enum class Meets { no, yes, unclear };

/// Returns whether all conditions hold. If one of them is unclear, the result is unclear even if another does not hold,
/// so that no caller can avoid a route by writing a name twice. `query` begins with '?' or is empty, and `path` is
/// normalised. `client` is null if the address is not known; an unknown address is in no block.
Meets meets(const RouteConditions& conditions, const http::Fields& fields, std::string_view query,
            std::string_view path, const boost::asio::ip::address* client = nullptr);

}  // namespace headgate::gateway
