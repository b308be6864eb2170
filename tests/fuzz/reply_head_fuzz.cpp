// Fuzzes heads of answers: an accepted head is written as one that a client reads in the same way.

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

void demand_sense(std::string_view text, std::string_view method) {
  ReplyHead head;
  if (h1::parse_reply(text, method, {100, 0}, head).has_error()) return;
  demand(head.status >= 100 && head.status <= 599);
  Fields fields;
  append_end_to_end(head.fields, fields);
  const bool bodiless = method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304;
  headgate::TextBuffer room;
  const h1::ReplyLine line{head.status, head.reason, 11, bodiless, h1::ConnectionOption::keep};
  const auto written = h1::write_reply_head(room, line, fields, head.framing);
  ReplyHead again;
  demand(h1::parse_reply(written, method, {200, 0}, again).has_value());
  demand(again.status == head.status);
  demand(head.reason.empty() || again.reason == head.reason);  // the status's own is written in place of none
  demand(again.framing.kind == head.framing.kind);
  demand(again.framing.length == head.framing.length);
}

}  // namespace

void reply_head_fuzz(std::string_view bytes) {
  std::size_t scanned = 0;
  const auto whole = h1::head_size(bytes, scanned);
  if (whole == 0) return;
  demand_sense(bytes.substr(0, whole), "GET");
  demand_sense(bytes.substr(0, whole), "HEAD");
}

}  // namespace headgate::fuzz
