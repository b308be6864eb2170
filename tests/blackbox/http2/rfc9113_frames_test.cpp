// RFC 9113, sections 3 to 7: frames, streams and settings, right and wrong.

#include "blackbox/http2/rules.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace headgate::test {
namespace {

class Http2Frames : public H2Rules {};
INSTANTIATE_TEST_SUITE_P(On, Http2Frames, testing::Values("Plain", "Tls"), listener_name);

const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const std::string kPing = h2_frame(h2_ping, 0, 0, "12345678");

std::string upload(std::uint32_t stream) {
  return h2_request(stream, h2_get("/", {{"x-test-hold", "1"}}, "POST"), false);
}

TEST_P(Http2Frames, BeginWithThePrefaceAndSettings) {  // section 3.4
  const auto one = client();
  ASSERT_TRUE(one->read());
  EXPECT_EQ(one->frames[0].type, h2_settings) << "the gateway's own preface";
  EXPECT_EQ(one->frames[0].flags, 0);
  // Not with another frame.
  Socket socket = connected();
  socket.send(kPreface + kPing);
  std::string said;
  while (socket.receive(said) == Got::bytes) {
  }
  H2Frame frame;
  while (take_h2_frame(said, frame) && frame.type != h2_goaway) {
  }
  EXPECT_EQ(frame.type, h2_goaway);
  EXPECT_EQ(frame.number(4), protocol_error);
}

/// Where HTTP/2 was agreed on it is an error; where it was not, it is what HTTP/1.1 makes of it.
TEST_P(Http2Frames, DoNotBeginWithAnythingElse) {  // section 3.4
  for (const auto& [begin, status] : {std::pair(std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "HTTP/1.1 200"),
                                      std::pair(kPreface.substr(0, 23) + "x", "HTTP/1.1 505")}) {
    Socket socket = connected();
    socket.send(begin);
    std::string said;
    if (!secure()) {
      while (!has(said, "\r\n\r\n") && socket.receive(said) == Got::bytes) {
      }
      EXPECT_TRUE(said.starts_with(status)) << said;
      continue;
    }
    auto got = Got::bytes;
    while ((got = socket.receive(said)) == Got::bytes) {
    }
    EXPECT_NE(got, Got::timeout);
    EXPECT_FALSE(has(said, "HTTP/1.1"));
  }
}

TEST_P(Http2Frames, MayHaveFlagsAndTheBitThatMeanNothing) {  // sections 4.1, 5.5
  const auto one = client();
  const auto block = h2_block(h2_get());
  auto head = h2_frame(h2_headers, kEndStream | kEndHeaders | 0xd0, 1, block);
  head[5] = static_cast<char>(0x80);  // the reserved bit of the stream
  one->send(head + h2_frame(h2_ping, 0xfe, 0, "12345678") + h2_frame(0xee, 0xff, 7, "unknown"));
  EXPECT_EQ(one->answer(1).status, 200);
  expect_alive(*one, "flags");
}

TEST_P(Http2Frames, OfAnotherSizeThanTheyMustHaveAreErrors) {  // sections 4.2, 6.3, 6.4, 6.9
  const std::string large(16'385, 'a');
  expect_end(h2_frame(h2_headers, 5, 1, large), frame_size, "HEADERS that are too large");
  expect_end(upload(1) + h2_frame(h2_data, 0, 1, large), frame_size, "DATA that are too large");
  expect_end(upload(1) + h2_frame(h2_rst_stream, 0, 1, "12345"), frame_size, "RST_STREAM of 5 bytes");
  expect_end(upload(1) + h2_frame(h2_window_update, 0, 1, "123"), frame_size, "WINDOW_UPDATE of 3 bytes");
  expect_end(h2_frame(h2_goaway, 0, 0, "1234567"), frame_size, "GOAWAY of 7 bytes");
  expect_end(h2_frame(h2_headers, 5 | 0x20, 1, "123"), frame_size, "HEADERS without room for their priority");
  expect_end(upload(1) + h2_frame(h2_priority, 0, 1, "1234"), frame_size, "PRIORITY of 4 bytes: of a stream at least");
}

TEST_P(Http2Frames, BehindTheEndOfARequestAreErrors) {  // section 5.1, half closed
  const auto begun = h2_request(1, h2_get("/", {{"x-test-delay-ms", "300"}}));
  const auto one = client();
  one->send(begun + h2_frame(h2_window_update, 0, 1, h2_number(1)) + h2_frame(h2_priority, 0, 1, h2_number(0) + "a"));
  EXPECT_EQ(one->answer(1).status, 200) << "those may come";
  expect_end(begun + h2_frame(h2_data, 0, 1, "a"), stream_closed, "DATA");
  expect_end(begun + h2_request(1, h2_get()), stream_closed, "HEADERS");
  expect_end(begun + h2_request(1, {{"x-a", "b"}}), stream_closed, "trailers");
}

/// Those that say something of windows, resets and priorities may have been on their way.
std::string said_of(std::uint32_t id) {
  return h2_frame(h2_window_update, 0, id, h2_number(1)) + h2_frame(h2_rst_stream, 0, id, h2_number(8)) +
         h2_frame(h2_priority, 0, id, h2_number(0) + "a");
}

TEST_P(Http2Frames, OfStreamsThatAreOverEndTheConnection) {  // section 5.1, closed
  const auto ended = [&](const std::string& bytes, const std::string& what) {
    const auto one = client();
    EXPECT_EQ(one->ask(1, h2_get()).status, 200);
    one->send(said_of(1));
    expect_alive(*one, "what may still come");
    expect_end(*one, bytes, stream_closed, what);
  };
  ended(h2_frame(h2_data, 0, 1, "a"), "DATA");
  ended(h2_request(1, h2_get()), "HEADERS");
  ended(h2_request(1, {{"x-a", "b"}}), "trailers");
}

TEST_P(Http2Frames, OfStreamsThatTheClientHasResetAreErrorsOfThemAndCounted) {  // section 5.1, closed
  const auto one = client();
  EXPECT_EQ(one->ask(1, h2_get()).status, 200);
  const std::string remembered = std::string("\x40\x03x-a\x01", 6) + "b";
  const auto requests = proxy->upstream.request_count();
  one->send(upload(3) + h2_frame(h2_rst_stream, 0, 3, h2_number(8)) + said_of(3));
  expect_alive(*one, "what may still come");
  const auto head = h2_frame(h2_headers, kEndStream | kEndHeaders, 3, h2_block(h2_get()) + remembered);
  expect_reset(*one, 3, head, stream_closed, "HEADERS");
  one->answers[3].reset.reset();
  expect_reset(*one, 3, h2_frame(h2_data, 0, 3, "a"), stream_closed, "DATA");
  // More than the window of the connection.
  for (int i = 0; i < 20; ++i) one->send(h2_frame(h2_data, 0, 3, std::string(16'384, 'a')));
  expect_alive(*one, "frames of a closed stream");
  EXPECT_EQ(proxy->upstream.request_count(), requests);
  one->send(h2_request(5, h2_get("/", {{"x-test-echo", "1"}}, "POST"), false) +
            h2_frame(h2_data, kEndStream, 5, std::string(16'384, 'a')));
  EXPECT_EQ(one->answer(5).body.size(), 16'384U) << "their window was given back";
  one->send(h2_frame(h2_headers, kEndStream | kEndHeaders, 7, h2_block(h2_get()) + "\xbe"));
  EXPECT_EQ(one->answer(7).status, 200);
  EXPECT_EQ(proxy->upstream.last().message.all("x-a"), "b") << "their fields are in the table";
}

TEST_P(Http2Frames, ThatWereOnTheirWayWhenTheGatewayResetTheirStreamAreThrownAway) {  // section 5.1, closed
  const auto one = client();
  one->send(h2_request(1, h2_get("/", {{"content-length", "1"}}, "POST"), false) + h2_frame(h2_data, 0, 1, "abc"));
  EXPECT_EQ(one->answer(1).reset.value_or(0), protocol_error);
  one->answers[1].reset.reset();
  for (int i = 0; i < 20; ++i) one->send(h2_frame(h2_data, 0, 1, std::string(16'384, 'a')));
  one->send(h2_request(1, {{"x-a", "b"}}) + said_of(1));
  expect_alive(*one, "frames on their way");
  EXPECT_FALSE(one->answers[1].reset) << "it was told already";
}

TEST_P(Http2Frames, OfNewStreamsHaveHigherNumbers) {  // section 5.1.1
  const auto one = client();
  EXPECT_EQ(one->ask(5, h2_get()).status, 200) << "numbers may be left out";
  one->send(h2_request(1001, h2_get()));
  EXPECT_EQ(one->answer(1001).status, 200);
  expect_end(*one, h2_request(3, h2_get()), protocol_error, "but are closed then");
}

TEST_P(Http2Frames, OfStreamsBeyondTheirNumberAreRefused) {  // section 5.1.2
  const auto one = client();
  std::string all;
  for (std::uint32_t id = 1; id < 201; id += 2) all += h2_request(id, h2_get("/", {{"x-test-delay-ms", "1000"}}));
  one->send(all);
  expect_alive(*one, "a hundred");
  one->send(h2_request(201, h2_get()));
  EXPECT_EQ(one->answer(201).reset.value_or(0), refused_stream);
  EXPECT_EQ(one->answer(1).status, 200);
}

TEST_P(Http2Frames, OfPriorityChangeNothing) {  // sections 5.3.2, 6.3
  const auto one = client();
  one->send(h2_frame(h2_priority, 0, 9, h2_number(7) + "a") + h2_request(1, h2_get()));
  EXPECT_EQ(one->answer(1).status, 200) << "also on an idle stream";
  expect_end(*one, h2_frame(h2_priority, 0, 0, h2_number(1) + "a"), protocol_error, "PRIORITY on stream 0");
}

TEST_P(Http2Frames, StandApartFromABlockOfFields) {  // sections 4.3, 5.5, 6.2, 6.10
  const auto begin = h2_frame(h2_headers, kEndStream, 1, h2_block(h2_get()));
  expect_end(begin + h2_frame(0xee, 0, 1, "a"), protocol_error, "an unknown frame inside");
  expect_end(begin + h2_request(3, h2_get()), protocol_error, "HEADERS of another stream inside");
  expect_end(begin + h2_frame(h2_continuation, kEndHeaders, 3), protocol_error, "CONTINUATION of another stream");
  expect_end(begin + h2_frame(h2_continuation, kEndHeaders, 0), protocol_error, "CONTINUATION of stream 0");
  expect_end(begin + h2_frame(h2_data, kEndStream, 1, "a"), protocol_error, "DATA inside");
  expect_end(h2_request(1, h2_get()) + h2_frame(h2_continuation, kEndHeaders, 1), protocol_error,
             "CONTINUATION behind the end");
}

TEST_P(Http2Frames, ArePaddedWithNoMoreThanTheyHold) {  // sections 6.1, 6.2
  const auto block = h2_block(h2_get());
  const auto too_much = static_cast<char>(block.size() + 1);
  expect_end(h2_frame(h2_headers, 5 | 8, 1, too_much + block), protocol_error, "padding as long as HEADERS");
  expect_end(h2_frame(h2_headers, 5 | 8, 1, ""), protocol_error, "no room for the length of the padding");
  expect_end(upload(1) + h2_frame(h2_data, 8, 1, std::string("\x04") + "abc"), protocol_error,
             "padding as long as DATA");
  // All of a padded frame counts in the window: 65,535 bytes are there, and no more.
  const auto one = client();
  const auto padded = h2_frame(h2_data, 8, 1, std::string("\xff") + std::string(255, '\0'));
  std::string all = h2_request(1, h2_get("/", {{"x-test-never", "1"}}, "POST"), false);
  for (int i = 0; i < 100; ++i) all += padded;
  one->send(all);
  expect_alive(*one, "padding");
}

TEST_P(Http2Frames, OfResetsBelongToAStream) {  // section 6.4
  expect_end(h2_frame(h2_rst_stream, 0, 0, h2_number(8)), protocol_error, "RST_STREAM on stream 0");
}

TEST_P(Http2Frames, OfSettingsAreAcknowledgedAndHaveTheirRanges) {  // section 6.5
  const auto one = client();
  for (int i = 0; i < 3; ++i) one->send(h2_settings_frame(4, 100'000));
  expect_alive(*one, "settings");
  int acks = 0;
  for (const auto& frame : one->frames) acks += frame.type == h2_settings && (frame.flags & kAck) != 0 ? 1 : 0;
  EXPECT_EQ(acks, 4) << "each, and the first one";
  expect_end(h2_settings_frame(2, 2), protocol_error, "ENABLE_PUSH of 2");
  expect_end(h2_settings_frame(4, 0x80000000), flow_control, "INITIAL_WINDOW_SIZE of 2^31");
  expect_end(h2_settings_frame(5, 16'383), protocol_error, "MAX_FRAME_SIZE of 16,383");
  expect_end(h2_settings_frame(5, 0x1000000), protocol_error, "MAX_FRAME_SIZE of 2^24");
}

TEST_P(Http2Frames, GoOutNoLargerThanTheClientWants) {  // sections 4.2, 6.5.2
  for (const auto& [wanted, most] : {std::pair(16'384U, 16'384U), std::pair(20'000U, 20'000U)}) {
    const auto one = client(h2_setting(5, wanted) + h2_setting(4, 1'000'000));
    one->send(h2_frame(h2_window_update, 0, 0, h2_number(1'000'000)));
    EXPECT_EQ(one->ask(1, h2_get("/", {{"x-test-bytes", "200000"}})).body.size(), 200'000U);
    for (const auto& frame : one->frames) EXPECT_LE(frame.payload.size(), most);
  }
}

TEST_P(Http2Frames, OfPingsComeBackOnce) {  // section 6.7
  const auto one = client();
  one->send(h2_frame(h2_ping, kAck, 0, "an answ.") + h2_frame(h2_ping, 0, 0, "question"));
  const auto answer = one->next(h2_ping);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->payload, "question") << "no answer is answered";
  EXPECT_EQ(answer->flags, kAck);
}

TEST_P(Http2Frames, OfAGoodbyeLetWhatHasBegunEnd) {  // section 6.8
  const auto one = client();
  one->send(h2_request(1, h2_get("/", {{"x-test-delay-ms", "300"}})));
  one->send(h2_frame(h2_goaway, 0, 0, h2_number(0) + h2_number(0xee) + "of an unknown code, with words"));
  expect_alive(*one, "goodbye");
  EXPECT_EQ(one->answer(1).status, 200);
  EXPECT_TRUE(one->closes()) << "nothing more can come";
}

TEST_P(Http2Frames, GoOutOnlyWhereThereIsWindow) {  // sections 6.9.1, 6.9.2
  const auto one = client(h2_setting(4, 10));
  one->send(h2_request(1, h2_get("/", {{"x-test-bytes", "100"}})));
  while (one->answers[1].body.size() < 10) ASSERT_TRUE(one->read());
  expect_alive(*one, "waits");
  EXPECT_EQ(one->answers[1].body.size(), 10U);
  one->send(h2_settings_frame(4, 0));  // ten fewer: the window is negative
  one->send(h2_frame(h2_window_update, 0, 1, h2_number(10)));
  expect_alive(*one, "the window is empty");
  EXPECT_EQ(one->answers[1].body.size(), 10U);
  one->send(h2_settings_frame(4, 5));
  while (one->answers[1].body.size() < 15) ASSERT_TRUE(one->read());
  expect_alive(*one, "five more");
  EXPECT_EQ(one->answers[1].body.size(), 15U);
  one->send(h2_frame(h2_window_update, 0, 1, h2_number(1000)));
  EXPECT_EQ(one->answer(1).body.size(), 100U);
}

TEST_P(Http2Frames, OfWindowsMustChangeThemAndNotTooMuch) {  // sections 6.9, 6.9.1, 6.9.2
  expect_end(upload(1) + h2_frame(h2_window_update, 0, 1, h2_number(0)), protocol_error, "by nothing");
  const auto one = client();
  expect_reset(*one, 1, upload(1) + h2_frame(h2_window_update, 0, 1, h2_number(0x7fffffff)), flow_control,
               "beyond its size");
  expect_reset(*one, 3,
               upload(3) + h2_frame(h2_window_update, 0, 3, h2_number(1000)) + h2_settings_frame(4, 0x7fffffff),
               flow_control, "by a setting, beyond its size");
}

TEST_P(Http2Frames, MayHaveCodesThatNobodyKnows) {  // section 7
  const auto one = client();
  one->send(upload(1) + h2_frame(h2_rst_stream, 0, 1, h2_number(0xabcdef)));
  expect_alive(*one, "RST_STREAM");
  EXPECT_EQ(one->ask(3, h2_get()).status, 200);
}

}  // namespace
}  // namespace headgate::test
