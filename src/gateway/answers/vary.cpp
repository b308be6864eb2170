#include "vary.hpp"

namespace headgate::gateway {

using http::Known;

void vary_by(Exchange& x, std::string_view names, http::Fields& fields) {
  http::Field* first = nullptr;
  for (auto& field : fields) {
    if (field.id != Known::vary) continue;
    if (first == nullptr) first = &field;
    if (http::lists(field.value, "*") || http::lists(field.value, names)) return;
  }
  if (first == nullptr)
    fields.push_back({Known::vary, "Vary", names});
  else
    first->value = first->value.empty() ? names : x.text.join({first->value, ", ", names});
}

}  // namespace headgate::gateway
