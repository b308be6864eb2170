// Fuzzes scans of bodies: the pieces of a body change nothing, and documents are JSON for the other reader as well. The
// first two bytes choose the form and the pieces.

#include "fuzzer.hpp"
#include "support/scanned.hpp"

#include "headgate/core/json_reader.hpp"

#include <string_view>
#include <vector>

namespace headgate::fuzz {
namespace {

test::Scanned make_scanned() {
  return test::Scanned({"", "/a", "/a/b", "/a/0", "/*", "/*/b", "+/a", "+/*/b", "+/*/*", "/\xc3\xa4", "/k", "/"});
}

/// Compares whether both take the document. The other reader refuses numbers that a double cannot hold.
void compare_readers(std::string_view document, bool malformed) {
  JsonReader reader(document, static_cast<unsigned>(scan::kMaxDepth));
  const bool taken = reader.pass() && reader.at_end();
  if (taken) demand(!malformed);
  if (!malformed) demand(taken || reader.fault() == JsonFault::value);
}

}  // namespace

void scan_fuzz(std::string_view bytes) {
  static auto whole = make_scanned();
  static auto pieces = make_scanned();
  if (bytes.size() < 2) return;
  constexpr scan::Form kForms[] = {scan::Form::json, scan::Form::events, scan::Form::lines, scan::Form::form};
  const auto form = kForms[static_cast<unsigned char>(bytes[0]) % 4];
  const auto step = static_cast<unsigned char>(bytes[1]) % 40 + std::size_t{1};
  const auto body = bytes.substr(2);
  std::vector<std::size_t> cuts;
  for (std::size_t at = step; at < body.size(); at += step) cuts.push_back(at);
  const bool malformed = whole.whole(body, form).malformed();
  pieces.cut(body, form, cuts);
  demand(whole.told() == pieces.told());
  pieces.cut(body, form, {body.size() / step});
  demand(whole.told() == pieces.told());
  if (form == scan::Form::json) compare_readers(body, malformed);
}

}  // namespace headgate::fuzz
