#include "headgate/identity/jwt.hpp"

#include <gtest/gtest.h>

namespace headgate::identity {
namespace {

TEST(BearerToken, IsWhatFollowsTheScheme) { EXPECT_EQ(bearer_token("Bearer abc.def.ghi"), "abc.def.ghi"); }

TEST(BearerToken, TakesTheSchemeInAnyCaseAndAnySpaces) {
  EXPECT_EQ(bearer_token("bearer abc"), "abc");
  EXPECT_EQ(bearer_token("BEARER   abc \t"), "abc");
  EXPECT_EQ(bearer_token("  Bearer abc"), "abc");
}

TEST(BearerToken, LeavesWhatItDoesNotUnderstandToTheVerifier) {
  EXPECT_EQ(bearer_token("Bearer abc, def"), "abc, def");
}

TEST(BearerToken, IsEmptyForAnotherScheme) {
  for (const auto* field : {"", " ", "Basic YTpi", "Bearer", "Bearer ", "Bearer   ", "Bearerabc", "Bearer\tabc", "abc",
                            "Bear er abc", "Bearer=abc", "DPoP abc"}) {
    EXPECT_EQ(bearer_token(field), "") << '"' << field << '"';
  }
}

}  // namespace
}  // namespace headgate::identity
