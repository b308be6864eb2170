// Translates HAProxy's compression.

#include "translate/draft/compress.hpp"
#include "translate/haproxy/work.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace headgate::translate {
namespace {

/// Returns the type for headgate. HAProxy compares prefixes: "text/" stands for all types that begin with it.
std::string type_of(const std::string& prefix) {
  if (prefix.find('/') == prefix.npos) return prefix + "/*";
  return prefix.ends_with('/') ? prefix + '*' : prefix;
}

}  // namespace

void haproxy_compression(HaproxyWork& work, const HaproxyProxy& proxy, DraftEntry& route) {
  const auto* const algorithms = last_line(proxy, "compression", "algo");
  if (algorithms == nullptr) return;
  DraftCompress out;
  // The list may have "deflate" and "raw-deflate" beside gzip. They are left out, because clients that accept them also
  // accept gzip.
  out.encodings.assign(algorithms->words.begin() + 2, algorithms->words.end());
  if (const auto* const types = last_line(proxy, "compression", "type"))
    std::transform(types->words.begin() + 2, types->words.end(), std::back_inserter(out.types), type_of);
  else
    out.types = {"*"};
  DraftEntry made;
  set_compress(made, out, algorithms->spot, algorithms->text());
  const auto written = made.get("compress");
  if (!written.empty()) {
    route.set("compress", std::string(written));
    say(made, Matter::differs, algorithms->spot, algorithms->text(),
        "HAProxy compresses answers with 200 to 203; headgate compresses those of all statuses");
  }
  // All backends of a frontend share this line, so the remark is given once.
  if (work.said.insert("compression " + algorithms->spot.file + std::to_string(algorithms->spot.line)).second)
    route.remarks.insert(route.remarks.end(), made.remarks.begin(), made.remarks.end());
}

}  // namespace headgate::translate
