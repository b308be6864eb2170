// Fuzzes heads of requests: an accepted head is written as one that parses to the same, and none of its prefixes is
// refused.

#include "fuzzer.hpp"

#include "headgate/http/h1/parse.hpp"
#include "headgate/http/h1/write.hpp"
#include "headgate/http/hop.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

using namespace headgate::http;

constexpr h1::Limits kLimits{100, 8192};

bool within(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void demand_prefixes(std::string_view head) {
  std::size_t checked = 0;
  std::size_t scanned = 0;
  for (std::size_t size = 0; size < head.size(); ++size) {
    const auto there = head.substr(0, size);
    demand(h1::head_size(there, scanned) == 0);
    demand(h1::check_unfinished(there, checked).has_value());
  }
}

void demand_sense(const RequestHead& head) {
  Fields fields;
  append_end_to_end(head.fields, fields);
  // HTTP/1.0 needs no Host; what is written is HTTP/1.1.
  const std::string_view authority = head.authority.empty() ? "none" : head.authority;
  const auto made_anew = [](const Field& field) { return field.id == Known::host || field.id == Known::expect; };
  std::erase_if(fields, made_anew);  // as on the way to a server
  fields.push_back({Known::host, "Host", authority});
  headgate::TextBuffer room;
  const auto written = h1::write_request_head(room, head.method, head.path, head.query, fields, head.framing);
  std::size_t scanned = 0;
  demand(h1::head_size(written, scanned) == written.size());
  RequestHead again;
  demand(h1::parse_request(written, {200, 1 << 20}, again).has_value());
  demand(again.method == head.method && again.path == head.path && again.query == head.query);
  demand(again.authority == authority);
  demand(again.framing.kind == head.framing.kind && again.framing.length == head.framing.length);
}

}  // namespace

void request_head_fuzz(std::string_view bytes) {
  std::size_t scanned = 0;
  const auto whole = h1::head_size(bytes, scanned);
  if (whole == 0) {
    std::size_t checked = 0;
    (void)h1::check_unfinished(bytes, checked);
    return;
  }
  const auto text = bytes.substr(0, whole);
  RequestHead head;
  const auto read = h1::parse_request(text, kLimits, head);
  if (read.has_error()) {
    demand(read.error().status >= 400 && read.error().status < 600 && *read.error().why != '\0');
    return;
  }
  demand(!head.method.empty() && !head.path.empty());
  demand(!head.authority.empty() || head.version == 10);
  demand(head.fields.size() <= kLimits.fields);
  for (const auto& field : head.fields) demand(within(field.name, text) && within(field.value, text));
  demand_prefixes(text);
  demand_sense(head);
}

}  // namespace headgate::fuzz
