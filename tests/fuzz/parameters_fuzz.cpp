// Fuzzes queries and cookies: what is found under a name is gone after its removal, and nothing else is.

#include "headgate/http/named_values.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headgate::http;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view name : {"key", "a b", "k"}) {
    const auto without = without_parameter("?" + text, name);
    const auto left = query_parameter(without, name);
    if (!left.value.empty() || left.twice || without_parameter(without, name) != without) std::abort();
    if (without.size() > text.size() + 1) std::abort();

    const auto kept = without_cookie(text, name);
    const auto still = cookie_of({{Known::cookie, "Cookie", kept}}, name);
    if (!still.value.empty() || still.twice || kept.size() > 2 * text.size()) std::abort();
  }
  return 0;
}
