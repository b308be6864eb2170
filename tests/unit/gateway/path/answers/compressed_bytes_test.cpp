// The bytes of answers that a route compresses: when each is sent, what becomes of those that break off, and the memory
// that they take.

#include "gateway/answers/compressed_reply.hpp"
#include "unit/gateway/path/answers/compressed.hpp"

namespace headgate::gateway::test {
namespace {

using headgate::test::decoded;
using http::Framing;

class PathCompressedBytes : public PathCompressed {};

TEST_F(PathCompressedBytes, EachEventIsThereBeforeTheNextOneComes) {
  for (const auto* const coding : {"br", "gzip"}) {
    server.fields = {field("Content-Type", "text/event-stream")};
    server.framing = {Framing::Kind::unknown, 0};
    server.body = {{"data: 1\n\n", Duration(0), {}}, {"data: 2\n\n", seconds(1), {}}, {"data: 3\n\n", seconds(1), {}}};
    get(coding);
    EXPECT_EQ(read(), "data: 1\n\n") << coding;
    clock.advance(seconds(1));
    EXPECT_EQ(read(), "data: 1\n\ndata: 2\n\n") << coding;
    EXPECT_FALSE(done);
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
    EXPECT_EQ(read(), "data: 1\n\ndata: 2\n\ndata: 3\n\n") << coding;
    EXPECT_TRUE(compressed());
    next();
  }
}

TEST_F(PathCompressedBytes, DoNotLookCompleteIfTheAnswerBreaksOff) {
  for (const auto* const coding : {"br", "gzip"}) {
    server.framing = {Framing::Kind::unknown, 0};
    server.body = {{page, Duration(0), {}}, {"", seconds(1), error::connection_reset}};
    get(coding);
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
    EXPECT_FALSE(client.ended);
    const auto cut = decoded(std::string_view(coding), client.body);
    EXPECT_EQ(cut.bytes, page);
    EXPECT_FALSE(cut.ended) << coding;
    EXPECT_EQ(x.ended_by, EndedBy::upstream_closed);
    next();
  }
}

TEST_F(PathCompressedBytes, AClientThatGoesAwayFreesItsMemory) {
  server.framing = {Framing::Kind::unknown, 0};
  server.body = {{page, Duration(0), {}}, {page, seconds(1), {}}, {page, seconds(1), {}}};
  get("br");
  EXPECT_GT(lent.all(), 0U) << "it counts for bounds.buffered";
  client.takes = 0;
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
  next();
  client.takes.reset();
  get("br");
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(read(), page);
  // Each worker adds a quarter of a megabyte at a time.
  lent.add(net::LentBytes::kStep + 1);
  EXPECT_LE(lent.all(), 2U * net::LentBytes::kStep);
}

TEST_F(PathCompressedBytes, WithoutMemoryTheyAreSentAsTheyAre) {
  options.buffered = 1 << 20;
  lent.add(2 << 20);
  server.fields.push_back(field("ETag", "\"v1\""));
  get("gzip");
  EXPECT_EQ(client.body, page);
  EXPECT_EQ(told("ETag"), "\"v1\"");
  EXPECT_EQ(told("Content-Encoding"), "");
  EXPECT_EQ(told("Vary"), "Accept-Encoding");
  EXPECT_EQ(metric("headgate_not_compressed_total"), "1");
  next();
  lent.add(-(2 << 20));
  get("gzip");
  EXPECT_TRUE(compressed());
  EXPECT_EQ(metric("headgate_not_compressed_total"), "1");
}

TEST_F(PathCompressedBytes, AreChargedForTheMostThatTheyMayTake) {
  options.buffered = 8 << 20;
  server.framing = {Framing::Kind::unknown, 0};
  server.body = {{"<p>", Duration(0), {}}, {"</p>", seconds(1), {}}};
  const auto before = lent.all();
  get("br");
  EXPECT_GE(lent.all() - before, 2U << 20) << "whatever comes";
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_LE(lent.all() - before, std::uint64_t{net::LentBytes::kStep});
}

TEST(EncoderPlaces, AnAddressHasAFewAndAWorkerSoManyBytes) {
  net::LentBytes total;
  net::LentBytes::Share lent(&total);
  EncoderPlaces places(&lent);
  std::vector<EncoderPlaces::Place> taken(EncoderPlaces::kMaxOfAddress);
  for (auto& each : taken) EXPECT_TRUE(places.take("192.0.2.7", 1 << 20, 0, each));
  EncoderPlaces::Place other;
  EXPECT_FALSE(places.take("192.0.2.7", 1, 0, other));
  places.give_back(other);
  EXPECT_EQ(total.read(), 16U << 20);
  EXPECT_TRUE(places.take("192.0.2.8", EncoderPlaces::kMaxBytes - (16U << 20), 0, other)) << "another address";
  EncoderPlaces::Place late;
  EXPECT_FALSE(places.take("192.0.2.9", 1, 0, late));
  places.give_back(taken.front());
  places.give_back(taken.front());
  EXPECT_TRUE(places.take("192.0.2.7", 1 << 20, 0, late));
  for (auto& each : taken) places.give_back(each);
  places.give_back(other);
  places.give_back(late);
  EXPECT_EQ(places.bytes(), 0U);
  EXPECT_EQ(total.read(), 0U);
}

TEST_F(PathCompressedBytes, AFailureOfTheEncoderIsTheGatewaysFault) {
  server.framing = {Framing::Kind::unknown, 0};
  server.body = {{page, Duration(0), {}}, {page, seconds(1), {}}};
  client.takes = 1;
  client.broken = compression_failed();
  get("gzip");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::bug);
  EXPECT_EQ(x.reason, "there was no memory for the rest of its answer");
}

TEST_F(PathCompressedBytes, OthersHaveTheirTurnWithinALargePiece) {
  std::string large;
  while (large.size() < 400'000) large += page;
  answers("text/html", large);
  for (const auto* const coding : {"br", "gzip"}) {
    get(coding);
    EXPECT_FALSE(done);
    EXPECT_LE(read().size(), 96U * 1024) << coding;
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
    EXPECT_TRUE(compressed());
    EXPECT_EQ(read(), large) << coding;
    next();
  }
  get("gzip");
  leave();
  clock.advance(seconds(1));
  EXPECT_TRUE(done) << "a client that leaves in between";
}

TEST_F(PathCompressedBytes, CountsTheBytesBeforeAndAfter) {
  get("gzip");
  EXPECT_EQ(metric(R"(headgate_compressed_answers_total{coding="gzip"})"), "1");
  EXPECT_EQ(metric(R"(headgate_compressed_answers_total{coding="br"})"), "0");
  EXPECT_EQ(metric(R"(headgate_compressed_bytes_total{coding="gzip",side="before"})"), std::to_string(page.size()));
  EXPECT_EQ(metric(R"(headgate_compressed_bytes_total{coding="gzip",side="after"})"),
            std::to_string(client.body.size()));
  EXPECT_LT(client.body.size(), page.size() / 2);
}

/// Counts the bytes of a body.
class SeenBytes final : public http::BodyLook {
 public:
  std::size_t bytes = 0;

 private:
  void look(std::string_view some) noexcept override { bytes += some.size(); }
};

TEST_F(PathCompressedBytes, AreMadeAfterObserversHaveSeenTheServersBytes) {
  SeenBytes seen;
  answer_looks = &seen;
  get("br");
  EXPECT_TRUE(compressed());
  EXPECT_EQ(seen.bytes, page.size());
}

TEST_F(PathCompressedBytes, LargeBodiesComeInPieces) {
  std::string all;
  server.body.clear();
  for (int i = 0; i < 40; ++i) {
    std::string piece;
    std::uint64_t dice = static_cast<std::uint64_t>(i) + 1;
    for (int k = 0; k < 50'000; ++k) piece += "abcdefgh"[(dice = dice * 6364136223846793005ULL + 1) >> 61];
    all += piece;
    server.body.push_back({piece, Duration(i % 2), {}});
  }
  server.framing = {Framing::Kind::length, all.size()};
  for (const auto* const coding : {"br", "gzip"}) {
    get(coding);
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
    EXPECT_TRUE(compressed());
    EXPECT_EQ(read(), all) << coding;
    next();
  }
}

TEST_F(PathCompressedBytes, ATunnelIsNot) {
  server.status = 101;
  server.fields.push_back(field("Upgrade", "websocket"));
  in_tunnel = {{"ping", Duration(0), {}}};
  check("GET /a", "Connection: Upgrade\r\nUpgrade: websocket\r\nAccept-Encoding: gzip\r\n");
  EXPECT_EQ(client.status, 101U);
  EXPECT_TRUE(client.tunnelled);
  EXPECT_EQ(told("Content-Encoding"), "");
  leave();
}

}  // namespace
}  // namespace headgate::gateway::test
