#include "fixed_answer.hpp"

#include "edit_fields.hpp"
#include "rewrite.hpp"

namespace headgate::gateway {

void edit_fixed_answer(Exchange& x, http::Fields& fields) {
  const auto& edits = *x.route->edits;
  if (edits.location) fields.push_back({http::Known::location, "Location", location_of_route(x)});
  edit_fields(x, edits.respond_fields, fields);
  edit_fields(x, edits.response_fields, fields);
}

}  // namespace headgate::gateway
