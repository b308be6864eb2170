#pragma once
// The size of a GraphQL request: by GET with parameters, or by POST with JSON or a form.

#include "headgate/graphql/size.hpp"
#include "headgate/scan/scan.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Returns the size of what a server runs for a target with this query and a body of this form; `form` is empty if
/// there is no body. If both have a document, the larger numbers. Nothing if one of them has a document that cannot be
/// read, or if neither has one.
std::optional<graphql::Size> graphql_size_of(std::string_view query, std::string_view body,
                                             std::optional<scan::Form> form);

}  // namespace headgate::gateway
