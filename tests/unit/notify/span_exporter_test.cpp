// Spans on their way to a collector that answers, refuses, is slow, or is not there.

#include "headgate/notify/span_exporter.hpp"

#include "receiver.hpp"
#include "support/otlp.hpp"
#include "support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace headgate::notify::test {
namespace {

using namespace std::chrono_literals;
using headgate::test::OtlpRequest;
using testing::HasSubstr;

class Exporter : public testing::Test {
 protected:
  Exporter() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log, true);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", std::move(sink)));
    options.url = {.scheme = net::Scheme::http, .host = "127.0.0.1", .port = collector.port, .target = "/v1/traces"};
    options.instance = "edge \"1\"";
    record.method = "GET";
    record.path = "/a";
    record.status = 200;
    record.ended_by = "upstream";
  }
  ~Exporter() override {
    exporter.reset();
    run_a_little();
    spdlog::set_default_logger(usual_logger);
  }
  void start() { exporter.emplace(loop, clock, queue, options); }
  void write(int exchanges) {
    for (int i = 0; i < exchanges; ++i) {
      observe::ExchangeSpans spans;
      spans.record = &record;
      spans.context = {.high = 1, .low = ++last, .parent = 3, .sampled = true};
      spans.id = last;
      spans.begun = spans.ended = Instant(1'700'000'000s);
      worker.write(spans);
    }
  }
  void run_a_little() {
    if (loop.stopped()) loop.restart();
    loop.run_for(20ms);
  }
  bool run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!done() && std::chrono::steady_clock::now() < end) {
      if (loop.stopped()) loop.restart();
      loop.run_one_for(10ms);
    }
    return done();
  }
  bool received(std::size_t requests) {
    return run_until([&] { return collector.requests.size() >= requests; });
  }
  bool ended(std::uint64_t spans) {
    return run_until([&] {
      const auto now = exporter->counts();
      return now.exported + now.rejected + now.dropped >= spans;
    });
  }
  /// What is retried has failed by then.
  bool told(const std::string& what) {
    return run_until([&] { return log.str().find(what) != std::string::npos; });
  }

  std::ostringstream log;
  std::shared_ptr<spdlog::logger> usual_logger = spdlog::default_logger();
  boost::asio::io_context loop;
  headgate::test::VirtualClock clock;
  Receiver collector{loop};
  TraceOptions options;
  observe::SpanQueue queue;
  observe::SpanLog worker{queue};
  observe::AccessRecord record;
  std::uint64_t last = 0;
  std::optional<SpanExporter> exporter;
};

TEST_F(Exporter, SendsWhatHasGatheredInOneRequestThatACollectorReads) {
  options.fields = "Authorization: Bearer s3cret\r\n";
  start();
  write(3);
  run_a_little();
  EXPECT_TRUE(collector.requests.empty()) << "not before a second is over";
  clock.advance(1s);
  ASSERT_TRUE(received(1));
  const auto& got = collector.requests.front();
  EXPECT_TRUE(got.head.starts_with("POST /v1/traces HTTP/1.1\r\n")) << got.head;
  EXPECT_EQ(got.field("Content-Type"), "application/json");
  EXPECT_EQ(got.field("Authorization"), "Bearer s3cret");
  const OtlpRequest request(got.body);
  EXPECT_EQ(request.complaints, "") << got.body;
  EXPECT_EQ(request.spans.size(), 3U);
  EXPECT_EQ(request.resource.at("service.name"), "headgate");
  EXPECT_EQ(request.resource.at("service.instance.id"), "edge \"1\"");
  ASSERT_TRUE(ended(3));
  EXPECT_EQ(exporter->counts().exported, 3U);
}

TEST_F(Exporter, AsksNobodyWhileThereIsNothing) {
  start();
  clock.advance(1min);
  run_a_little();
  EXPECT_TRUE(collector.requests.empty());
}

TEST_F(Exporter, CountsWhatTheCollectorRefusesOfABatchItTook) {
  start();
  for (const char* body : {R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"x"}})",
                           R"({"partialSuccess": {"rejectedSpans": 2}})"}) {
    collector.answers("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(std::string_view(body).size()) +
                      "\r\n\r\n" + body);
    const auto before = exporter->counts();
    write(3);
    clock.advance(1s);
    ASSERT_TRUE(ended(before.exported + before.rejected + 3));
    EXPECT_EQ(exporter->counts().rejected, before.rejected + 2);
    EXPECT_EQ(exporter->counts().exported, before.exported + 1);
  }
  EXPECT_THAT(log.str(), HasSubstr("traces_rejected"));
}

TEST_F(Exporter, SendsTheSameBatchAgainAfterEachStatusThatMayPass) {
  start();
  std::size_t requests = 0;
  for (const char* status :
       {"429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"}) {
    collector.answers(answer(status));
    const auto before = exporter->counts();
    write(1);
    clock.advance(1s);
    ASSERT_TRUE(received(++requests)) << status;
    run_a_little();
    collector.answers(answer("200 OK"));
    clock.advance(1s);
    ASSERT_TRUE(received(++requests)) << status;
    ASSERT_TRUE(ended(before.exported + 1));
    EXPECT_EQ(exporter->counts().retried, before.retried + 1);
    EXPECT_EQ(collector.requests[requests - 1].body, collector.requests[requests - 2].body);
  }
}

TEST_F(Exporter, WaitsAsLongAsTheCollectorAsks) {
  start();
  collector.answers(answer("429 Too Many Requests", "Retry-After: 20\r\n"));
  write(1);
  clock.advance(1s);
  ASSERT_TRUE(told("traces_failed"));
  collector.answers(answer("200 OK"));
  clock.advance(19s);
  run_a_little();
  EXPECT_EQ(collector.requests.size(), 1U);
  clock.advance(1s);
  ASSERT_TRUE(ended(1));
  EXPECT_EQ(exporter->counts().exported, 1U);
}

TEST_F(Exporter, DropsABatchAtOnceThatTheCollectorWillNeverTake) {
  start();
  collector.answers(answer("400 Bad Request"));
  write(2);
  clock.advance(1s);
  ASSERT_TRUE(ended(2));
  EXPECT_EQ(exporter->counts().dropped, 2U);
  EXPECT_EQ(exporter->counts().retried, 0U);
  EXPECT_THAT(log.str(), HasSubstr("traces_dropped: the collector rejected them, and they are not sent again spans=2 "
                                   "reason=\"it answered 400\""));
}

TEST_F(Exporter, GivesABatchUpAfterItsLastAttemptAndGoesOnWithTheNext) {
  collector.leave();
  start();
  write(2);
  clock.advance(1s);
  for (unsigned i = 0; i < SpanExporter::kAttempts; ++i) {
    run_until([&] { return exporter->counts().dropped > 0 || clock.armed() > 0; });
    clock.advance(1min);
  }
  ASSERT_TRUE(ended(2));
  EXPECT_EQ(exporter->counts().retried, SpanExporter::kAttempts - 1);
  EXPECT_THAT(log.str(), HasSubstr("traces_dropped: the last attempt failed, so they are not sent again"));
  collector.come_back();
  write(1);
  clock.advance(1s);
  ASSERT_TRUE(received(1));
  ASSERT_TRUE(ended(3));
  EXPECT_EQ(exporter->counts().exported, 1U);
}

TEST_F(Exporter, HasOneRequestUnderWayHoweverSlowTheCollectorIs) {
  options.timeout = 200ms;
  collector.answers("", Receiver::After::silence);
  start();
  write(1);
  clock.advance(1s);
  ASSERT_TRUE(received(1));
  write(100);
  clock.advance(1min);
  run_a_little();
  EXPECT_EQ(collector.requests.size(), 1U);
  EXPECT_TRUE(told("not done within 200ms"));
}

TEST_F(Exporter, SendsAFloodInBatchesOneAfterAnotherAndCountsWhatFoundNoRoom) {
  start();
  write(6'000);
  const auto dropped = queue.dropped();
  EXPECT_GT(dropped, 0U);
  clock.advance(1s);
  for (int i = 0; i < 20 && exporter->counts().exported < 6'000 - dropped; ++i) {
    run_a_little();
    clock.advance(1s);
  }
  ASSERT_TRUE(ended(6'000));
  EXPECT_EQ(exporter->counts().exported, 6'000 - dropped);
  const auto event =
      "traces_dropped: the buffers are full, because the collector is too slow spans=" + std::to_string(dropped);
  EXPECT_THAT(log.str(), HasSubstr(event));
  EXPECT_EQ(collector.most_open, 1U);
  for (const auto& each : collector.requests) EXPECT_EQ(OtlpRequest(each.body).complaints, "");
}

TEST_F(Exporter, SendsWhatIsLeftAtTheEnd) {
  start();
  write(5);
  exporter->stop();
  ASSERT_TRUE(ended(5));
  EXPECT_EQ(exporter->counts().exported, 5U);
  run_a_little();
  EXPECT_EQ(clock.armed(), 0U) << "the loop has nothing left to do";
}

TEST_F(Exporter, LosesWhatACollectorDoesNotTakeInTimeAtTheEnd) {
  collector.answers("", Receiver::After::silence);
  start();
  write(5);
  exporter->stop();
  ASSERT_TRUE(received(1));
  EXPECT_EQ(exporter->counts().dropped, 0U);
  clock.advance(SpanExporter::kLastTime);
  EXPECT_EQ(exporter->counts().dropped, 5U);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(Exporter, TriesABatchThatFailedOnlyOnceMoreAtTheEnd) {
  start();
  collector.answers(answer("503 Service Unavailable"));
  write(1);
  clock.advance(1s);
  ASSERT_TRUE(told("traces_failed"));
  exporter->stop();
  ASSERT_TRUE(ended(1));
  EXPECT_EQ(collector.requests.size(), 2U);
  EXPECT_EQ(exporter->counts().dropped, 1U);
}

}  // namespace
}  // namespace headgate::notify::test
