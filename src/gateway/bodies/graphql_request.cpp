#include "graphql_request.hpp"

#include "headgate/http/named_values.hpp"

#include <string>

namespace headgate::gateway {
namespace {

/// The size of one part of a request.
struct PartSize {
  bool has_document = false;
  std::optional<graphql::Size> size;  ///< nothing if the document cannot be read
};

PartSize size_of_parameters(std::string_view parameters, bool largest) {
  const auto query = http::query_parameter(parameters, "query");
  const auto operation = http::query_parameter(parameters, "operationName");
  PartSize out{.has_document = query.twice || !query.value.empty(), .size = {}};
  std::string document;
  std::string name;
  if (!query.twice && !operation.twice && http::decode_parameter(query.value, document) &&
      http::decode_parameter(operation.value, name))
    out.size = graphql::size_of(document, largest ? std::string() : name);
  return out;
}

bool is_named(std::string_view parameters, std::string_view name) {
  const auto found = http::query_parameter(parameters, name);
  return found.twice || !found.value.empty();
}

}  // namespace

std::optional<graphql::Size> graphql_size_of(std::string_view query, std::string_view body,
                                             std::optional<scan::Form> form) {
  // Some servers take the document from one part, and the name of its operation from the other.
  const bool mixed = form && (is_named(query, "query") || is_named(query, "operationName"));
  const auto of_query = size_of_parameters(query, mixed);
  PartSize of_body;
  if (form == scan::Form::form)
    of_body = size_of_parameters(body, mixed);
  else if (form)
    of_body = {.has_document = true,
               .size = form == scan::Form::json ? graphql::size_of_json(body, mixed) : std::nullopt};
  std::optional<graphql::Size> out;
  for (const auto& part : {of_query, of_body}) {
    if (!part.has_document) continue;
    if (!part.size) return std::nullopt;
    if (!out) out.emplace();
    graphql::raise(*out, *part.size);
  }
  return out;
}

}  // namespace headgate::gateway
