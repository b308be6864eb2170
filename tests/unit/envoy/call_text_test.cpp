// Calls of the rate limit service in the access log.

#include "headgate/envoy/call_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::envoy {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(CallTexts, HaveTheDomainAndAllDescriptors) {
  const RateLimitRequest request{.domain = "edge",
                                 .descriptors = {{.entries = {{"generic_key", "login"}, {"remote_address", "::1"}}},
                                                 {.entries = {{"path", "/a\"b\n"}}}}};
  EXPECT_EQ(call_text(request), R"({"domain":"edge","descriptors":[{"generic_key":"login","remote_address":"::1"},)"
                                R"({"path":"/a\"b\u000a"}]})");
}

TEST(CallTexts, HaveHitsIfADescriptorHasOthersThanOne) {
  const Descriptor plain{.entries = {{"a", "1"}}};
  auto back = plain;
  back.hits = 3;
  back.gives_back = true;
  EXPECT_EQ(call_text({.domain = "d", .descriptors = {plain, back}, .hits = 2}),
            R"({"domain":"d","descriptors":[{"a":"1"},{"a":"1"}],"hits":[2,-3]})");
  EXPECT_EQ(call_text({.domain = "d", .descriptors = {plain}, .hits = 1}),
            R"({"domain":"d","descriptors":[{"a":"1"}]})");
}

TEST(CallTexts, AreReadAsTheyWereWritten) {
  auto back = Descriptor{.entries = {{"a", "x,\"y\"\\=\t"}, {"b", ""}}};
  back.hits = 7;
  back.gives_back = true;
  const RateLimitRequest request{.domain = "edge", .descriptors = {back, {.entries = {{"a", "1"}, {"a", "2"}}}}};
  const auto read = call_in(call_text(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->domain, "edge");
  ASSERT_EQ(read->descriptors.size(), 2U);
  EXPECT_THAT(read->descriptors[0].entries, ElementsAre(Pair("a", "x,\"y\"\\=\t"), Pair("b", "")));
  EXPECT_EQ(read->descriptors[0].hits, 7U);
  EXPECT_TRUE(read->descriptors[0].gives_back);
  EXPECT_THAT(read->descriptors[1].entries, ElementsAre(Pair("a", "1"), Pair("a", "2")));
  EXPECT_EQ(read->descriptors[1].hits, 1U);
  EXPECT_FALSE(read->descriptors[1].gives_back);
}

TEST(CallTexts, OfNoCallAreNotRead) {
  for (const char* const text :
       {"", "-", "[]", "{}", R"({"domain":""})", R"({"domain":7})", R"({"domain":"d","descriptors":[7]})",
        R"({"domain":"d","descriptors":[{"a":1}]})", R"({"domain":"d","descriptors":[{"a":"1"}],"hits":[1,2]})",
        R"({"domain":"d","descriptors":[{"a":"1"}],"hits":[1.5]})",
        R"({"domain":"d","descriptors":[{"a":"1"}],"hits":[9223372036854775808]})",
        R"({"domain":"d","descriptors":[{"a":"1"}]} )"
        "x",
        R"({"domain":"d","descriptors":[{"a":"1)"})
    EXPECT_FALSE(call_in(text)) << text;
  EXPECT_TRUE(call_in(R"({"descriptors":[],"domain":"d","later":[1]})")) << "a later version may add members";
}

}  // namespace
}  // namespace headgate::envoy
