// Fuzzes chunked bodies: the result is the same whether a body comes at once, in pieces or byte by byte.

#include "fuzzer.hpp"

#include "headgate/http/h1/chunked.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

using namespace headgate::http::h1;

struct ReadBody {
  std::string data;
  std::size_t consumed = 0;
  bool refused = false;
  bool ended = false;
  bool operator==(const ReadBody&) const = default;
};

ReadBody read(std::string_view bytes, std::size_t piece) {
  ChunkReader reader;
  ReadBody out;
  std::size_t there = 0;
  while (true) {
    const auto step = reader.next(bytes.substr(out.consumed, there - out.consumed));
    out.refused = step.has_error();
    if (out.refused) break;
    demand(step->consumed <= there - out.consumed && step->data.size() <= step->consumed);
    out.data += step->data;
    out.consumed += step->consumed;
    out.ended = step->ended;
    if (out.ended) break;
    if (step->consumed > 0) continue;
    if (there == bytes.size()) break;
    there = std::min(there + piece, bytes.size());
  }
  if (out.ended) demand(reader.trailers().size() <= Limits{}.fields);
  return out;
}

}  // namespace

void chunked_fuzz(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto body = bytes.substr(1);
  auto whole = read(body, std::max<std::size_t>(body.size(), 1));
  auto pieces = read(body, static_cast<unsigned char>(bytes[0]) % 16 + 1U);
  // How far it came before the refusal depends on the available bytes.
  if (whole.refused) whole.consumed = pieces.consumed = 0;
  demand(whole == pieces);
}

}  // namespace headgate::fuzz
