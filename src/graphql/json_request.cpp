// GraphQL requests as JSON (https://graphql.github.io/graphql-over-http/).

#include "headgate/core/json_reader.hpp"
#include "headgate/core/text.hpp"
#include "headgate/graphql/size.hpp"

#include <string>

namespace headgate::graphql {
namespace {

/// The members of one request that decide what a server runs.
struct RequestMembers {
  std::string query;
  std::string operation;
  unsigned queries = 0;     ///< members that some reader takes for "query"
  unsigned operations = 0;  ///< the same for "operationName"
};

/// Reads a member whose name some reader takes for one of the two: Go's compares them in any case.
bool read_member(JsonReader& in, const std::string& name, RequestMembers& out) {
  const auto plain = lower(name.substr(0, name.find('\0')));
  const bool query = plain == "query";
  if (!query && plain != "operationname") return in.pass();
  ++(query ? out.queries : out.operations);
  if (in.next() == JsonKind::null) return in.pass();
  return in.text(query ? out.query : out.operation);
}

std::optional<Size> size_of_object(JsonReader& in, bool largest) {
  RequestMembers members;
  std::string name;
  const bool read = in.object([&] { return in.text(name); }, [&] { return read_member(in, name, members); });
  if (!read || members.queries != 1 || members.operations > 1) return std::nullopt;
  return size_of(members.query, largest ? std::string() : members.operation);
}

}  // namespace

std::optional<Size> size_of_json(std::string_view body, bool largest) {
  JsonReader in(body, 512);
  std::optional<Size> out;
  if (in.next() == JsonKind::object) {
    out = size_of_object(in, largest);
  } else {
    out.emplace();
    const bool read = in.list([&] {
      const auto one = size_of_object(in, largest);
      if (one) add(*out, *one);
      return one.has_value();
    });
    if (!read || out->fields == 0) return std::nullopt;
  }
  return in.at_end() ? out : std::nullopt;
}

}  // namespace headgate::graphql
