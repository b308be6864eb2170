// Fuzzes queries and cookies: what is found under a name is gone after its removal, and nothing else is.

#include "headgate/http/named_values.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace headgate::fuzz {

void parameters_fuzz(std::string_view bytes) {
  using namespace headgate::http;
  const std::string text(bytes);
  for (const std::string_view name : {"key", "a b", "k"}) {
    const auto without = without_parameter("?" + text, name);
    const auto left = query_parameter(without, name);
    if (!left.value.empty() || left.twice || without_parameter(without, name) != without) std::abort();
    if (without.size() > text.size() + 1) std::abort();

    // Where a server may read another value, the request is refused.
    if (cookie_of({{Known::cookie, "Cookie", text}}, name).twice) continue;
    const auto kept = without_cookie(text, name);
    const auto still = cookie_of({{Known::cookie, "Cookie", kept}}, name);
    if (!still.value.empty() || still.twice || kept.size() > 2 * text.size()) std::abort();
  }
}

}  // namespace headgate::fuzz
