#include "headgate/observe/trace_context.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headgate::observe {
namespace {

constexpr std::string_view kValid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string altered(std::size_t at, std::string_view text) {
  std::string out(kValid);
  return out.replace(at, text.size(), text);
}

std::string traceparent_of(const TraceContext& context) {
  const auto text = to_traceparent(context);
  return {text.data(), text.size()};
}

bool is_state(std::vector<std::string_view> values) { return is_tracestate(values); }

TEST(TraceParent, SaysTraceSpanAndWhetherItIsSampled) {
  const auto context = parse_traceparent(kValid);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->high, 0x4bf92f3577b34da6U);
  EXPECT_EQ(context->low, 0xa3ce929d0e0e4736U);
  EXPECT_EQ(context->parent, 0x00f067aa0ba902b7U);
  EXPECT_TRUE(context->sampled);
  EXPECT_FALSE(context->random);
  EXPECT_EQ(traceparent_of(*context), kValid);
  EXPECT_FALSE(parse_traceparent(altered(53, "02"))->sampled);
  EXPECT_TRUE(parse_traceparent(altered(53, "02"))->random);
}

TEST(TraceParent, KeepsOnlyTheFlagsItKnows) {
  EXPECT_EQ(traceparent_of(*parse_traceparent(altered(53, "ff"))), altered(53, "03"));
  EXPECT_EQ(traceparent_of(*parse_traceparent(altered(53, "fc"))), altered(53, "00"));
}

TEST(TraceParent, IsRefusedUnlessItIsWrittenExactlyRight) {
  for (const auto& bad :
       {std::string(), std::string("00"), std::string(kValid.substr(0, 54)), std::string(kValid) + "-",
        std::string(kValid) + "0", std::string(kValid) + "-x", altered(0, "ff"), altered(0, "FF"), altered(0, "0g"),
        altered(2, "_"), altered(35, "0"), altered(52, "+"), altered(3, "4BF92F3577B34DA6A3CE929D0E0E4736"),
        altered(3, "00000000000000000000000000000000"), altered(36, "0000000000000000"),
        altered(36, "00F067AA0BA902B7"), altered(53, "0A"), altered(53, " 1"), altered(20, std::string(1, '\0'))})
    EXPECT_FALSE(parse_traceparent(bad)) << bad;
}

TEST(TraceParent, OfALaterVersionIsReadAsFarAsItIsKnown) {
  EXPECT_TRUE(parse_traceparent(altered(0, "01")));
  EXPECT_TRUE(parse_traceparent(altered(0, "cc") + "-what-the-future-brings"));
  EXPECT_FALSE(parse_traceparent(altered(0, "cc") + ".what"));
  EXPECT_EQ(traceparent_of(*parse_traceparent(altered(0, "cc") + "-x")), kValid) << "it is passed on as version 00";
}

TEST(TraceParent, GetsAnotherSpanInPlace) {
  auto text = to_traceparent(*parse_traceparent(kValid));
  put_span(text, 0xabc);
  EXPECT_EQ(std::string(text.data(), text.size()), altered(36, "0000000000000abc"));
  EXPECT_EQ(trace_of(text), "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(TraceState, IsAListOfMembersWithOneValueEach) {
  EXPECT_TRUE(is_state({"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"}));
  EXPECT_TRUE(is_state({"a=1 , ,\tb=2,", "c@sys=3"})) << "blanks and empty members are allowed";
  EXPECT_TRUE(is_state({"a= 1", "b="}));
  for (const auto bad : {"a", "=1", "A=1", "a=b=c", "a=1;b=\x7f", "a b=1", "a=1,a=2", "-a=1"})
    EXPECT_FALSE(is_state({bad})) << bad;
  EXPECT_FALSE(is_state({"a=1", "a=2"})) << "also over several fields";
  EXPECT_FALSE(is_state({"a=" + std::string(257, 'x')}));
}

TEST(TraceState, HasAtMost32Members) {
  std::string list;
  for (int i = 0; i < 32; ++i) list += (i == 0 ? "k" : ",k") + std::to_string(i) + "=v";
  EXPECT_TRUE(is_state({list}));
  list += ",k32=v";
  EXPECT_FALSE(is_state({list}));
}

TEST(TraceIds, AreNeverZeroNorTheSame) {
  TraceIds ids(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(ids.next());
  EXPECT_EQ(seen.size(), 10'000U);
  EXPECT_FALSE(seen.contains(0));
}

TEST(TraceShare, TakesSoManyOfAllTraces) {
  TraceIds ids(7);
  int taken = 0;
  for (int i = 0; i < 100'000; ++i) taken += in_share(ids.next(), share_below(10'000)) ? 1 : 0;
  EXPECT_GT(taken, 850);
  EXPECT_LT(taken, 1150);
  EXPECT_FALSE(in_share(0, share_below(0)));
  EXPECT_TRUE(in_share(~std::uint64_t{0}, share_below(1'000'000)));
}

}  // namespace
}  // namespace headgate::observe
