#include "headgate/http/h1/chunked.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace headgate::http::h1 {
namespace {

/// The result of a chunked body that arrived in these pieces.
struct Outcome {
  std::string data;
  std::string trailers;  // "name=value;"
  bool ended = false;
  unsigned refused = 0;
  std::string rest;  // the bytes after the body
};

/// Drives the reader as a connection does: passes bytes that were not consumed again, with the next ones.
Outcome read_pieces(const std::vector<std::string_view>& pieces, const Limits& limits = {}) {
  Outcome out;
  ChunkReader reader(limits);
  std::string buffer;
  for (const auto piece : pieces) {
    buffer += piece;
    while (!out.ended) {
      const auto step = reader.next(buffer);
      if (step.has_error()) {
        out.refused = step.error().status;
        return out;
      }
      out.data += step->data;
      out.ended = step->ended;
      buffer.erase(0, step->consumed);
      if (step->consumed == 0) break;
    }
  }
  for (const auto& field : reader.trailers())
    out.trailers += std::string(field.name) + "=" + std::string(field.value) + ";";
  out.rest = buffer;
  return out;
}

unsigned refused_chunks(std::string_view bytes, const Limits& limits = {}) {
  return read_pieces({bytes}, limits).refused;
}

const std::vector<std::string_view> kBodies = {
    "0\r\n\r\n",
    "0\r\n\r\nGET / HTTP/1.1\r\n",
    "5\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\nnext",
    "5;name=value\r\nhello\r\n0;last\r\n\r\n",
    "5 ;x=\"a b\"\r\nhello\r\n0\r\n\r\n",
    "4\r\n\r\n\r\n\r\n0\r\n\r\n",
    "0005\r\n0\r\n\r\n\r\n00\r\n\r\n",
    "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-Other:\t2 \r\n\r\nrest",
};

TEST(ChunkReader, ReadsDataTrailersAndEnd) {
  const auto out = read_pieces({kBodies.back()});
  EXPECT_TRUE(out.ended);
  EXPECT_EQ(out.data, "01234567890123456789");
  EXPECT_EQ(out.trailers, "X-Sum=1;X-Other=2;");
  EXPECT_EQ(out.rest, "rest");
  EXPECT_EQ(read_pieces({kBodies[6]}).data, "\r\n\r\n");
  EXPECT_EQ(read_pieces({kBodies[7]}).data, "0\r\n\r\n");
}

TEST(ChunkReader, GivesTheSameResultWhereverTheBytesAreSplit) {
  for (const auto body : kBodies) {
    const auto whole = read_pieces({body});
    ASSERT_TRUE(whole.ended) << body;
    const auto same = [&](const std::vector<std::string_view>& pieces, std::size_t a, std::size_t b) {
      const auto out = read_pieces(pieces);
      ASSERT_EQ(out.refused, 0U) << body << " split at " << a << ", " << b;
      ASSERT_TRUE(out.ended) << body << " split at " << a << ", " << b;
      ASSERT_EQ(out.data, whole.data) << body << " split at " << a << ", " << b;
      ASSERT_EQ(out.trailers, whole.trailers) << body << " split at " << a << ", " << b;
      ASSERT_EQ(out.rest, whole.rest) << body << " split at " << a << ", " << b;
    };
    for (std::size_t a = 0; a <= body.size(); ++a) {
      for (std::size_t b = a; b <= body.size(); ++b)
        same({body.substr(0, a), body.substr(a, b - a), body.substr(b)}, a, b);
    }
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < body.size(); ++i) bytes.push_back(body.substr(i, 1));
    same(bytes, 1, 1);
  }
}

TEST(ChunkReader, RefusesABodyTooLargeByTheSizeOfItsChunks) {
  const auto refused_at = [](std::string_view bytes, std::uint64_t most) {
    ChunkReader reader;
    reader.take_at_most(most);
    while (!bytes.empty()) {
      const auto step = reader.next(bytes);
      if (step.has_error()) return step.error().status;
      if (step->ended || step->consumed == 0) return 0U;
      bytes.remove_prefix(step->consumed);
    }
    return 0U;
  };
  EXPECT_EQ(refused_at("5\r\n", 4), 413U) << "before its first byte";
  EXPECT_EQ(refused_at("5\r\nhello\r\n0\r\n\r\n", 5), 0U);
  EXPECT_EQ(refused_at("5\r\nhello\r\n1\r\n", 5), 413U) << "together with those before it";
  EXPECT_EQ(refused_at("1\r\n", 0), 413U);
  EXPECT_EQ(refused_at("0\r\n\r\n", 0), 0U);
  EXPECT_EQ(refused_at("fffffffffffffff\r\n", ~std::uint64_t{0}), 0U);
  EXPECT_EQ(refused_at("fffffffffffffff\r\n", 1U << 20), 413U);
}

TEST(ChunkReader, NeverEndsBeforeTheEmptyLine) {
  for (const auto body : kBodies) {
    const auto size = body.size() - read_pieces({body}).rest.size();
    for (std::size_t have = 0; have < size; ++have) {
      const auto out = read_pieces({body.substr(0, have)});
      EXPECT_FALSE(out.ended) << body << " at " << have;
      EXPECT_EQ(out.refused, 0U) << body << " at " << have;
    }
  }
}

TEST(ChunkReader, RefusesWhatALenientReaderCouldReadInAnotherWay) {
  for (const std::string_view bytes : {"\r\n",
                                       "x\r\n",
                                       "-1\r\n",
                                       "+1\r\n",
                                       "0x5\r\nhello\r\n",
                                       " 5\r\nhello\r\n",
                                       "5 \r\nhello\r\n",
                                       "5\t\r\nhello\r\n",
                                       "5x\r\nhello\r\n",
                                       "5 5\r\n",
                                       ";a\r\n",
                                       "5\nhello\r\n",
                                       "5\r\r\nhello\r\n",
                                       "5\n\r\n",
                                       "5\r\nhello\n",
                                       "5\r\nhelloX",
                                       "5\r\nhello\rX",
                                       "5\r\nhello0\r\n\r\n",
                                       "5;a\nb\r\nhello\r\n",
                                       "5;\x01\r\nhello\r\n",
                                       "5,a\r\nhello\r\n",
                                       "0\r\nX\r\n\r\n",
                                       "0\r\n: 1\r\n\r\n",
                                       "0\r\nX: 1\n\r\n",
                                       "0\r\nX: 1\r\n\n",
                                       "0\r\n\n",
                                       "0\r\n y\r\n\r\n",
                                       "0\r\nX: 1\r\n y\r\n\r\n",
                                       "0\r\nContent-Length: 5\r\n\r\n",
                                       "0\r\nTransfer-Encoding: chunked\r\n\r\n",
                                       "0\r\nHost: a\r\n\r\n"}) {
    EXPECT_EQ(refused_chunks(bytes), 400U) << bytes;
  }
}

TEST(ChunkReader, RefusesTheSameWhenBytesComeOneByOne) {
  for (const std::string_view bytes : {"x\r\n", "5 \r\nh", "5\nhello\r\n", "5\r\nhello\n", "5\r\nhelloX",
                                       "5\r\nhello\rX", "0\r\nX: 1\n\r\n", "0\r\n\n"}) {
    std::vector<std::string_view> pieces;
    for (std::size_t i = 0; i < bytes.size(); ++i) pieces.push_back(bytes.substr(i, 1));
    EXPECT_EQ(read_pieces(pieces).refused, 400U) << bytes;
  }
}

TEST(ChunkReader, TakesLargeSizesAndRefusesThoseThatWrap) {
  for (const std::string_view size : {"38d7ea4c68000", "38D7EA4C68000", "000000038d7ea4c", "fffffffffffffff"}) {
    const auto out = read_pieces({std::string(size) + "\r\n", "some", " bytes"});
    EXPECT_EQ(out.refused, 0U) << size;
    EXPECT_FALSE(out.ended);
    EXPECT_EQ(out.data, "some bytes") << size;
  }
  for (const std::string_view size :
       {"8000000000000000", "ffffffffffffffff", "10000000000000000", "100000000000000005", "00000000000000005"}) {
    EXPECT_EQ(refused_chunks(std::string(size) + "\r\nhello"), 400U) << size;
  }
}

TEST(ChunkReader, BoundsTheSizeLine) {
  const std::string fits = "5;" + std::string(kMaxChunkLine - 4, 'a') + "\r\n";
  EXPECT_EQ(read_pieces({fits, "hello\r\n0\r\n\r\n"}).data, "hello");
  EXPECT_EQ(refused_chunks("5;" + std::string(kMaxChunkLine - 3, 'a') + "\r\nhello\r\n"), 400U);
  EXPECT_EQ(refused_chunks("5;" + std::string(kMaxChunkLine, 'a')), 400U) << "without waiting for its end";
}

TEST(ChunkReader, BoundsTheExtensionsOfAllChunksTogether) {
  const std::string chunk = "1;" + std::string(1000, 'a') + "\r\nx\r\n";
  std::string few;
  for (int i = 0; i < 16; ++i) few += chunk;
  EXPECT_EQ(read_pieces({few, "0\r\n\r\n"}).data, std::string(16, 'x'));
  EXPECT_EQ(refused_chunks(few + chunk), 400U);
}

TEST(ChunkReader, BoundsTheTrailers) {
  EXPECT_EQ(refused_chunks("0\r\nX: " + std::string(kMaxTrailers, 'a')), 431U) << "without waiting for their end";
  EXPECT_EQ(refused_chunks("0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", {2, 8192}), 431U);
  std::string many = "0\r\n";
  while (many.size() < kMaxTrailers + 10) many += "A: 1\r\n";
  EXPECT_EQ(refused_chunks(many + "\r\n", {100'000, 8192}), 431U);
}

TEST(ChunkReader, StaysEndedAndConsumesNothingMore) {
  ChunkReader reader;
  ASSERT_TRUE(reader.next("0\r\n\r\n")->ended);
  const auto again = reader.next("5\r\nhello\r\n");
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->ended);
  EXPECT_EQ(again->consumed, 0U);
  EXPECT_EQ(again->data, "");
}

TEST(ChunkReader, SurvivesAnyBytes) {
  std::mt19937 random(4);
  const std::string_view alphabet = "015aF;: x\r\n\r\n\r\n\"";
  std::uniform_int_distribution<std::size_t> pick(0, alphabet.size() - 1), length(0, 40);
  for (int i = 0; i < 30'000; ++i) {
    std::string bytes;
    for (std::size_t n = length(random); n > 0; --n) bytes += alphabet[pick(random)];
    const auto out = read_pieces({bytes});
    ASSERT_LE(out.data.size() + out.rest.size(), bytes.size());
    ASSERT_TRUE(out.refused == 0 || out.refused == 400 || out.refused == 431);
  }
}

TEST(ChunkLine, IsWhatTheReaderReads) {
  char line[20];
  EXPECT_EQ(chunk_line(1, line), "1\r\n");
  EXPECT_EQ(chunk_line(31, line), "1f\r\n");
  EXPECT_EQ(chunk_line(1'000'000'000'000'000, line), "38d7ea4c68000\r\n");
  EXPECT_EQ(chunk_line(~std::uint64_t{0}, line), "ffffffffffffffff\r\n");
}

}  // namespace
}  // namespace headgate::http::h1
