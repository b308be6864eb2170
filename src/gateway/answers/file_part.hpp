#pragma once
// What a request gets of a fixed answer whose body is a file: all of it, a part, or the word that it has it already.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

struct FilePart {
  unsigned status = 200;
  std::string_view body;
};

/// By the conditions and the range of the request (RFC 9110 sections 13.2.2 and 14.2), which must be GET or HEAD.
/// Appends the fields that tell of it to x.fields, but for Content-Type. `file` has an ETag, and outlives the view.
FilePart part_of_file(Exchange& x, const Respond& file);

}  // namespace headgate::gateway
