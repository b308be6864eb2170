// Fuzzes chunked bodies: the result is the same whether a body comes at once, in pieces or byte by byte.

#include "headgate/http/h1/chunked.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace headgate::http::h1;

struct Outcome {
  std::string data;
  std::size_t consumed = 0;
  bool refused = false;
  bool ended = false;
  bool operator==(const Outcome&) const = default;
};

void demand(bool holds) {
  if (!holds) std::abort();
}

Outcome read(std::string_view bytes, std::size_t piece) {
  ChunkReader reader;
  Outcome out;
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  auto whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
  auto pieces = read(bytes, data[0] % 16 + 1U);
  // How far it came before the refusal depends on the available bytes.
  if (whole.refused) whole.consumed = pieces.consumed = 0;
  demand(whole == pieces);
  return 0;
}
