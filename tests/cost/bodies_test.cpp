// Chunked bodies made to be expensive: each byte costs a few steps, however the body is chunked and arrives.

#include "cost/spent.hpp"

#include "headgate/http/h1/chunked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headgate::http::h1 {
namespace {

using test::spent_by;

std::string repeated(const std::string& piece, std::size_t size) {
  std::string out;
  while (out.size() < size) out += piece;
  return out;
}

/// Reads what comes `piece` bytes at a time, what is left over of each before the next. Returns the body's bytes.
std::size_t read(std::string_view bytes, std::size_t piece) {
  ChunkReader reader;
  std::size_t body = 0;
  std::size_t from = 0;
  for (std::size_t to = std::min(piece, bytes.size());; to = std::min(to + piece, bytes.size())) {
    while (true) {
      const auto step = reader.next(bytes.substr(from, to - from));
      if (step.has_error() || step->ended) return body;
      body += step->data.size();
      from += step->consumed;
      if (step->consumed == 0 || from == to) break;
    }
    if (to == bytes.size()) return body;
  }
}

TEST(CostOfBodies, IsInProportionToTheirBytes) {
  constexpr std::size_t kBytes = 200'000;
  constexpr std::size_t kMaxSteps = 60;  // below 40 as GCC 12 cuts the code into blocks, 47 as GCC 14 does
  const std::string bodies[] = {
      repeated("1\r\nx\r\n", kBytes),
      repeated("000000000000001\r\nx\r\n", kBytes),
      repeated("1;a\r\nx\r\n", kBytes),
      repeated("1;" + std::string(1000, 'a') + "\r\nx\r\n", kBytes),
      "1;" + std::string(kBytes, 'a'),
      "0\r\n" + repeated("A: b\r\n", kBytes),
      "0\r\n" + repeated("A:\r\n", 8000) + "\r\n",
      "0\r\nA: " + std::string(kBytes, 'a'),
  };
  for (const auto& body : bodies) {
    for (const std::size_t piece : {kBytes, std::size_t{1000}, std::size_t{10}, std::size_t{1}}) {
      const auto cost = spent_by([&] { read(body, piece); });
      EXPECT_LT(cost.steps, kMaxSteps * body.size()) << body.substr(0, 20) << " in pieces of " << piece;
      EXPECT_LT(cost.bytes, 8 * body.size()) << body.substr(0, 20);
    }
  }
  EXPECT_GT(spent_by([&] { EXPECT_EQ(read(bodies[0], 1000), bodies[0].size() / 6); }).steps, bodies[0].size())
      << "the test has lost sight of the sources";
}

}  // namespace
}  // namespace headgate::http::h1
