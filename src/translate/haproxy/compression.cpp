// What HAProxy compresses.

#include "translate/draft/compress.hpp"
#include "translate/haproxy/work.hpp"

namespace headgate::translate {

void haproxy_compression(const HaproxyProxy& proxy, DraftEntry& route) {
  const auto* const algorithms = last_line(proxy, "compression", "algo");
  if (algorithms == nullptr) return;
  DraftCompress out;
  // "deflate" and "raw-deflate" stand beside gzip where they stand; a client that takes them takes gzip, too.
  out.encodings.assign(algorithms->words.begin() + 2, algorithms->words.end());
  if (const auto* const types = last_line(proxy, "compression", "type"))
    out.types.assign(types->words.begin() + 2, types->words.end());
  else
    out.types = {"*"};
  set_compress(route, out, algorithms->spot, algorithms->text());
}

}  // namespace headgate::translate
