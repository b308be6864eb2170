// Claims in the common form take a shorter path through the code. Both paths are compared with a full JSON parser.

#include "jwt_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <random>

namespace headgate::identity {
namespace {

using test_keys::kNow;
using test_keys::kSecret;

/// What the claims in `json` are; nothing where it is not one object that names each member once.
std::optional<Claims> as_the_library_reads(const std::string& json) {
  std::vector<std::string> names;
  const auto tree = nlohmann::json::parse(
      json,
      [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
        if (depth == 1 && event == nlohmann::json::parse_event_t::key) names.push_back(parsed.get<std::string>());
        return true;
      },
      false);
  std::sort(names.begin(), names.end());
  if (!tree.is_object() || std::adjacent_find(names.begin(), names.end()) != names.end()) return std::nullopt;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  Claims claims;
  for (const auto& [name, value] : tree.items()) {
    if (value.is_number_integer() || value.is_boolean()) claims[name] = value.dump();
    if (!value.is_string()) continue;
    const auto text = value.get<std::string>();
    if (std::none_of(text.begin(), text.end(), is_control)) claims[name] = text;
  }
  return claims;
}

/// Each is read as the library reads it, or refused as malformed where the library refuses it.
class JwtJson : public testing::Test {
 protected:
  void expect_as_the_library(const std::string& json) {
    const auto expected = as_the_library_reads(json);
    const auto verified = verifier_->verify(test::sign_hs256(kSecret, json), kNow);
    if (expected) {
      ++read_;
      ASSERT_TRUE(verified) << to_text(verified.error().error) << ": " << json;
      EXPECT_EQ(verified->claims, *expected) << json;
    } else {
      ++refused_;
      ASSERT_FALSE(verified) << json;
      EXPECT_EQ(verified.error().error, JwtError::malformed) << json;
    }
  }

  VerifierPtr verifier_ = verifier_for(test_keys::hs256_issuer());
  std::size_t read_ = 0;
  std::size_t refused_ = 0;
};

const std::string kUsual = R"({"sub":"u 1", "scopes":["a","bc"],"none":[],"count":120, "yes":true,"no":false})";

TEST_F(JwtJson, IsReadAsTheLibraryReadsItWithAnyByteAtAnyPlace) {
  const std::string bytes = "\"\\{}[],: \t\n\r09-+.eEtnufx/\x01\x1f\x7f\x80\xc3\xff";
  for (std::size_t at = 0; at < kUsual.size(); ++at) {
    for (const char byte : bytes) {
      auto other = kUsual;
      other[at] = byte;
      expect_as_the_library(other);
      other = kUsual;
      expect_as_the_library(other.insert(at, 1, byte));
    }
    auto shorter = kUsual;
    expect_as_the_library(shorter.erase(at, 1));
    expect_as_the_library(kUsual.substr(0, at));
  }
  EXPECT_GT(read_, 500U);
  EXPECT_GT(refused_, 1000U);
}

TEST_F(JwtJson, IsReadAsTheLibraryReadsItAfterAnyFewChanges) {
  const std::vector<std::string> pieces{"\"",
                                        "\\u0041",
                                        "\\n",
                                        "\t",
                                        "\xc3\xa4",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "0",
                                        "-",
                                        "1e2",
                                        "null",
                                        "true",
                                        "1.",
                                        "\"a\"",
                                        " ",
                                        "{}",
                                        "[[1]]",
                                        "999999999999999999",
                                        "18446744073709551616"};
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    auto json = kUsual;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const auto at = random() % json.size();
      json.replace(at, random() % 4, pieces[random() % pieces.size()]);
    }
    expect_as_the_library(json);
  }
  EXPECT_GT(read_, 200U);
  EXPECT_GT(refused_, 1000U);
}

}  // namespace
}  // namespace headgate::identity
