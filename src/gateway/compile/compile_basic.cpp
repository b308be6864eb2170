// What a route asks of callers whose passwords it takes.

#include "headgate/gateway/basic/basic_auth.hpp"

#include <utility>

namespace headgate::gateway {

std::shared_ptr<const CompiledBasic> compile_basic(const BasicAuth& basic) {
  CompiledBasic out{.options = &basic, .challenge = "Basic realm=\""};
  for (const char c : basic.realm) {
    if (c == '"' || c == '\\') out.challenge += '\\';
    out.challenge += c;
  }
  out.challenge += "\", charset=\"UTF-8\"";  // RFC 7617 section 2.1
  return std::make_shared<const CompiledBasic>(std::move(out));
}

}  // namespace headgate::gateway
