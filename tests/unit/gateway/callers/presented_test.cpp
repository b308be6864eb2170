#include "../../../../src/gateway/callers/presented.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace headgate::gateway {
namespace {

struct PresentedTest : testing::Test {
  void check(std::string_view name, std::string_view value) {
    x.request.fields.push_back({boost::beast::http::string_to_field({name.data(), name.size()}), name, value});
  }
  static std::string text(const Presented& presented) {
    return presented.twice ? "twice" : std::string(presented.text);
  }
  Exchange x;
};

TEST_F(PresentedTest, TokensOfAuthorizationHaveTheBearerScheme) {
  const identity::JwtOptions options;
  check("Authorization", "Basic abc");
  EXPECT_EQ(text(presented_token(x, options)), "");
  x.request.fields.clear();
  check("Authorization", "bearer  abc");
  EXPECT_EQ(text(presented_token(x, options)), "abc");
  check("authorization", "Bearer def");
  EXPECT_EQ(text(presented_token(x, options)), "twice");
}

TEST_F(PresentedTest, TokensInAnotherFieldNeedNoScheme) {
  identity::JwtOptions options;
  options.header = "x-token";
  check("X-Token", "abc");
  EXPECT_EQ(text(presented_token(x, options)), "abc");
  x.request.fields.clear();
  check("X-Token", "Bearer abc");
  EXPECT_EQ(text(presented_token(x, options)), "abc");
}

TEST_F(PresentedTest, KeysOfAQueryAreDecoded) {
  identity::ApiKeyOptions options;
  options.query = "k";
  x.request.query = "?k=a%2Bb";
  EXPECT_EQ(text(presented_key(x, options)), "a+b");
  x.request.query = "?k=a%2";
  EXPECT_EQ(text(presented_key(x, options)), "a%2") << "as it was sent, which is nobody's key";
}

TEST_F(PresentedTest, KeysInAuthorizationStandBehindTheSchemeOrAlone) {
  identity::ApiKeyOptions options;
  options.headers = {"authorization"};
  for (const auto& [value, key] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"Bearer abc", "abc"}, {"bearer  abc", "abc"}, {"abc", "abc"}, {"Bearer", ""}, {"Token abc", "Token abc"}}) {
    x.request.fields.clear();
    check("Authorization", value);
    EXPECT_EQ(text(presented_key(x, options)), key) << value;
  }
  check("Authorization", "Bearer abc");
  EXPECT_EQ(text(presented_key(x, options)), "twice");
}

TEST_F(PresentedTest, KeysInAnotherFieldHaveNoScheme) {
  const identity::ApiKeyOptions options;
  check("X-API-Key", "Bearer abc");
  EXPECT_EQ(text(presented_key(x, options)), "Bearer abc");
}

TEST_F(PresentedTest, AKeyMayBeInAnyOfSeveralFields) {
  identity::ApiKeyOptions options;
  options.headers = {"x-api-key", "authorization"};
  check("Authorization", "Bearer abc");
  EXPECT_EQ(text(presented_key(x, options)), "abc");
  check("X-API-Key", "abc");
  EXPECT_EQ(text(presented_key(x, options)), "abc") << "the same key is no other one";
  x.request.fields.back().value = "def";
  EXPECT_EQ(text(presented_key(x, options)), "twice");
}

TEST_F(PresentedTest, AKeyInAFieldAndInTheQueryIsAmbiguousAlsoBesideSeveralFields) {
  identity::ApiKeyOptions options;
  options.headers = {"x-api-key", "authorization"};
  options.query = "k";
  x.request.query = "?k=abc";
  check("Authorization", "Bearer abc");
  EXPECT_EQ(text(presented_key(x, options)), "twice");
}

TEST_F(PresentedTest, TwoSpellingsOfOneFieldAreAmbiguous) {
  identity::JwtOptions options;
  options.header = "x-token";
  check("X-Token", "abc");
  check("X_Token", "def");
  EXPECT_EQ(text(presented_token(x, options)), "twice") << "a server may read either";
}

TEST_F(PresentedTest, AnotherSpellingIsAnotherField) {
  identity::JwtOptions token;
  token.header = "x-token";
  const identity::ApiKeyOptions key;
  check("X_Token", "abc");
  check("X_API_Key", "abc");
  EXPECT_EQ(text(presented_token(x, token)), "");
  EXPECT_EQ(text(presented_key(x, key)), "");
  check("x-api-key", "abc");
  EXPECT_EQ(text(presented_key(x, key)), "twice");
}

TEST_F(PresentedTest, AnEmptySecondFieldIsAmbiguousToo) {
  const identity::ApiKeyOptions options;
  check("X-API-Key", "");
  check("X-API-Key", "abc");
  EXPECT_EQ(text(presented_key(x, options)), "twice");
}

}  // namespace
}  // namespace headgate::gateway
