// Trace Context on the path: what the server is told, and what the log has.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kSpan = "00f067aa0ba902b7";

class PathTrace : public Path {
 protected:
  static std::string parent(std::string_view flags) {
    return "traceparent: 00-" + std::string(kTrace) + '-' + std::string(kSpan) + '-' + std::string(flags) + "\r\n";
  }
  Tracing& traced(std::uint32_t millionths) {
    auto& tracing = options.tracing.emplace();
    tracing.sample_below = observe::share_below(millionths);
    return tracing;
  }
  /// The values of a field as the server got them, joined by '|'.
  std::string got(std::string_view name) const {
    std::string out;
    std::string_view rest = app->report.head;
    while (!rest.empty()) {
      const auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() + 1);
      const auto colon = line.find(": ");
      if (same_word(line.substr(0, colon), name)) out += (out.empty() ? "" : "|") + std::string(line.substr(colon + 2));
    }
    return out;
  }
  std::string span_sent() const { return got("traceparent").substr(36, 16); }
  std::string flags_sent() const { return got("traceparent").substr(53); }
};

TEST_F(PathTrace, WithoutTracingTheFieldsPassAsTheyCame) {
  check("GET /", "traceparent: nonsense\r\nTraceParent: more\r\ntracestate: A=B=C\r\n");
  EXPECT_EQ(got("traceparent"), "nonsense|more");
  EXPECT_EQ(got("tracestate"), "A=B=C");
  EXPECT_FALSE(x.trace);
}

TEST_F(PathTrace, ATraceThatIsNotRecordedHereIsPassedOnUnchanged) {
  traced(1'000'000);
  check("GET /", parent("01") + "tracestate: rojo=1\r\ntracestate: congo=2\r\n");
  EXPECT_EQ(got("traceparent"), "00-" + std::string(kTrace) + '-' + std::string(kSpan) + "-01");
  EXPECT_EQ(got("tracestate"), "rojo=1|congo=2");
  EXPECT_EQ(x.trace->id(), kTrace);
  EXPECT_FALSE(x.trace->recorded());
}

TEST_F(PathTrace, ATraceThatIsRecordedHasTheAttemptAsTheParentOfTheServer) {
  traced(0).records = true;
  check("GET /", parent("01"));
  EXPECT_EQ(x.trace->id(), kTrace);
  EXPECT_EQ(flags_sent(), "01");
  ASSERT_EQ(x.trace->attempts.size(), 1U);
  const auto span = observe::hex_of(x.trace->attempts.front().span);
  EXPECT_EQ(span_sent(), std::string(span.data(), span.size()));
  EXPECT_NE(span_sent(), kSpan);
  EXPECT_EQ(x.trace->attempts.front().status, 200U);
}

TEST_F(PathTrace, AnAttemptThatFailedSaysWhy) {
  traced(1'000'000).records = true;
  server.unreachable = Failure{Failed::connect_timeout, error::timed_out, false, ""};
  check("GET /");
  ASSERT_EQ(x.trace->attempts.size(), 1U);
  EXPECT_EQ(x.trace->attempts.front().failure, "connect_timeout");
  server.unreachable = Failure{Failed::no_connection, error::connection_refused, false, ""};
  ask_again("GET /");
  EXPECT_EQ(x.trace->attempts.front().failure, "no_connection");
  EXPECT_EQ(x.trace->attempts.front().status, 0U);
}

TEST_F(PathTrace, AnAnswerThatBreaksOffHasItsStatusAndWhy) {
  traced(1'000'000).records = true;
  server.body = {{"o", Duration(0), {}}, {"", Duration(0), error::eof}};
  check("GET /");
  ASSERT_EQ(x.trace->attempts.size(), 1U);
  EXPECT_EQ(x.trace->attempts.front().status, 200U);
  EXPECT_EQ(x.trace->attempts.front().failure, "closed");
}

TEST_F(PathTrace, PrefersTheCallersSamplingDecisionToTheShare) {
  traced(1'000'000).records = true;
  check("GET /", parent("00"));
  EXPECT_FALSE(x.trace->recorded());
  EXPECT_EQ(span_sent(), kSpan);
  EXPECT_EQ(flags_sent(), "00");
}

TEST_F(PathTrace, WithoutParentBasedOnlyTheShareCounts) {
  auto& tracing = traced(1'000'000);
  tracing.records = true;
  tracing.parent_based = false;
  check("GET /", parent("00"));
  EXPECT_TRUE(x.trace->recorded());
  EXPECT_EQ(flags_sent(), "01");
}

TEST_F(PathTrace, WithoutParentBasedACallerCannotChooseAnIdThatIsRecorded) {
  traced(100'000).parent_based = false;
  check("GET /");
  constexpr int kTraces = 400;
  int recorded = 0;
  const auto sampled = [&](int number) {
    const auto digits = std::to_string(100'000 + number);  // small, whatever of its bits count
    ask_again("GET /", "traceparent: 00-00000000000000000000000000" + digits + "-00f067aa0ba902b7-01\r\n");
    return flags_sent() == "01";
  };
  for (int i = 0; i < kTraces; ++i) {
    const bool once = sampled(i);
    if (i < 20) {
      EXPECT_EQ(sampled(i), once) << "a retry in the same trace";
    }
    recorded += once ? 1 : 0;
  }
  EXPECT_GT(recorded, 5);
  EXPECT_LT(recorded, 120);
}

TEST_F(PathTrace, UsesItsOwnSpanIdIfItChangesTheFlag) {
  traced(0).parent_based = false;
  check("GET /", parent("01"));
  EXPECT_EQ(x.trace->id(), kTrace);
  EXPECT_EQ(flags_sent(), "00");
  EXPECT_NE(span_sent(), kSpan);
}

TEST_F(PathTrace, ATraceBeginsHereIfTheCallerNamesNone) {
  traced(0);
  check("GET /");
  const auto first = std::string(x.trace->id());
  EXPECT_EQ(got("traceparent").substr(0, 36), "00-" + first + '-');
  EXPECT_EQ(flags_sent(), "02") << "not sampled; its id is random";
  ask_again("GET /");
  EXPECT_NE(x.trace->id(), first);
}

TEST_F(PathTrace, ReplacesAnInvalidOrRepeatedTraceparentAndDropsItsState) {
  traced(0);
  check("GET /", parent("01") + parent("01") + "tracestate: rojo=1\r\n");
  EXPECT_NE(x.trace->id(), kTrace);
  EXPECT_EQ(got("traceparent").size(), 55U) << "one";
  EXPECT_EQ(got("tracestate"), "");
  ask_again("GET /", "traceparent: 00-" + std::string(kTrace) + "-0000000000000000-01\r\n");
  EXPECT_NE(x.trace->id(), kTrace);
}

TEST_F(PathTrace, AStateThatIsNotValidIsDroppedAlone) {
  traced(0);
  check("GET /", parent("01") + "tracestate: rojo=1,rojo=2\r\n");
  EXPECT_EQ(x.trace->id(), kTrace);
  EXPECT_EQ(got("tracestate"), "");
}

}  // namespace
}  // namespace headgate::gateway::test
