// Fuzzes GraphQL documents: the numbers fit together, what means nothing changes nothing, and a name never raises them.

#include "fuzzer.hpp"

#include "headgate/graphql/size.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace headgate::fuzz {

void graphql_fuzz(std::string_view bytes) {
  graphql::size_of_json(bytes);
  const std::string document(bytes);
  const auto size = graphql::size_of(document);
  demand(graphql::size_of("\n,\t" + document + "\n# comment\n") == size);
  for (const std::string_view name : {"A", "B", "query"}) {
    const auto one = graphql::size_of(document, name);
    if (!one || !size) continue;
    demand(one->fields <= size->fields && one->depth <= size->depth && one->aliases <= size->aliases);
  }
  if (!size) return;
  demand(size->fields >= 1 && size->depth >= 1 && size->depth <= size->fields && size->aliases <= size->fields);
  demand(size->fields <= graphql::kMaxCount);
  try {
    demand(graphql::size_of_json(nlohmann::json{{"query", document}}.dump()) == size);
  } catch (const nlohmann::json::exception&) {
    return;  // no UTF-8, so it cannot stand in JSON
  }
}

}  // namespace headgate::fuzz
