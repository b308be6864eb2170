// Key files that change while the process runs, in all the ways in which files change.
#include "keyring_fixture.hpp"

#include "headgate/identity/sha256.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace headgate::keyring::test {
namespace {

namespace fs = std::filesystem;

/// Key files have a digest of each key.
std::string hex(std::string_view key) {
  std::string out;
  for (const unsigned char byte : identity::sha256(key)) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

class KeyringFiles : public KeyringTest {
 protected:
  KeyringFiles() {
    std::string name = (fs::temp_directory_path() / "headgate-keys-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) directory = name;
    add_issuer().keys.jwks_file = path("jwks.json");
    write("jwks.json", jwk_set({"one"}));
  }
  ~KeyringFiles() override {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }

  std::string path(std::string_view name) const { return (directory / name).string(); }
  void write(std::string_view name, std::string_view text) const { std::ofstream(path(name)) << text; }
  void use_api_keys(std::string_view text) {
    options.api_key.file = path("keys.json");
    write("keys.json", text);
  }
  static std::string one_key(std::string_view key, std::string_view owner) {
    return R"({"sha256": ")" + hex(key) + R"(", "owner": ")" + std::string(owner) + "\"}";
  }
  /// The owner of this key; "" if it is unknown.
  std::string owner(std::string_view key) const {
    const auto* const record = keyring->now()->api_keys->find(identity::sha256(key));
    return record ? record->owner : "";
  }

  fs::path directory;
};

TEST_F(KeyringFiles, AreActiveFromTheStart) {
  open();
  EXPECT_TRUE(believes("one"));
  EXPECT_EQ(report().source, path("jwks.json"));
  EXPECT_EQ(report().keys, 1U);
  EXPECT_TRUE(report().fresh);
  EXPECT_EQ(log.str(), "");
}

TEST_F(KeyringFiles, AreReadAgainWhenTheyAreWritten) {
  start();
  write("jwks.json", jwk_set({"two"}));
  EXPECT_TRUE(run_until([&] { return believes("two"); })) << "of the same size and perhaps in the same tick";
  EXPECT_FALSE(believes("one"));
  EXPECT_EQ(published.back(), keyring->now());
  EXPECT_EQ(logged("keys_read source=" + path("jwks.json") + " in_force=1"), 1U);
}

TEST_F(KeyringFiles, OfAddressesKeepTheirLastValidContent) {
  options.address_files = {path("denied.txt")};
  write("denied.txt", "10.0.0.0/8\n");
  start();
  const auto holds = [&](const char* address) {
    return keyring->now()->address_lists.at(0).second->smallest(boost::asio::ip::make_address(address)) >= 0;
  };
  EXPECT_TRUE(holds("10.1.2.3"));
  EXPECT_EQ(report(1).source, path("denied.txt"));
  EXPECT_EQ(report(1).kind, SourceKind::addresses);
  EXPECT_EQ(report(1).keys, 1U);
  write("denied.txt", "192.0.2.0/24\n198.51.100.7\n");
  EXPECT_TRUE(run_until([&] { return holds("192.0.2.1"); }));
  EXPECT_FALSE(holds("10.1.2.3"));
  EXPECT_EQ(logged("addresses_read source=" + path("denied.txt") + " in_force=2"), 1U);
  const auto before = keyring->now();
  write("denied.txt", "192.0.2.0/24\n\nnobody\n");
  EXPECT_TRUE(run_until([&] { return report(1).failures == 1; }));
  EXPECT_EQ(keyring->now(), before) << "nothing is published";
  EXPECT_NE(report(1).trouble.find("denied.txt:3: \"nobody\""), std::string::npos) << report(1).trouble;
  EXPECT_EQ(logged("addresses_refused: the previous addresses stay in force"), 1U);
  EXPECT_EQ(logged("keys_refused"), 0U);
}

TEST_F(KeyringFiles, OfUsersKeepTheirLastValidContent) {
  const std::string hash = "$2y$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm\n";
  options.user_files = {path("users")};
  write("users", "ann:" + hash);
  start();
  const auto knows = [&](const char* name) {
    return keyring->now()->user_lists.at(0).second->hash_of(name) != nullptr;
  };
  EXPECT_TRUE(knows("ann"));
  EXPECT_EQ(report(1).source, path("users"));
  EXPECT_EQ(report(1).keys, 1U);
  write("users", "ben:" + hash + "carl:" + hash);
  EXPECT_TRUE(run_until([&] { return knows("ben"); }));
  EXPECT_FALSE(knows("ann"));
  EXPECT_EQ(logged("keys_read source=" + path("users") + " in_force=2"), 1U);
  write("users", "ben:" + hash + "carl:$apr1$a$secret\n");
  EXPECT_TRUE(run_until([&] { return report(1).failures == 1; }));
  EXPECT_TRUE(knows("carl"));
  EXPECT_NE(report(1).trouble.find("users:2: this hash is Apache's MD5"), std::string::npos) << report(1).trouble;
  EXPECT_EQ(logged("keys_refused: the previous keys stay in force"), 1U);
  EXPECT_EQ(log.str().find("secret"), std::string::npos);
}

TEST_F(KeyringFiles, OfUsersMayNotBecomeEmptyAlsoOverAReload) {
  options.user_files = {path("users")};
  write("users", "ann:$2y$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm\n");
  open();
  write("users", "");
  const auto again = try_open(keyring.get());
  ASSERT_TRUE(again.has_error());
  EXPECT_THAT(again.error(), HasSubstr("users: the file names no user any more"));
  EXPECT_TRUE(try_open().has_value()) << "a restart may let nobody in";
}

TEST_F(KeyringFiles, SayWhichOfTheirKeysAreIgnored) {
  const std::string bad = R"({"kty":"oct","alg":"HS256","kid":"two","k":"c2hvcnQ"})";
  const auto with_bad = [&](const std::string& good) {
    auto set = jwk_set({good});
    return set.insert(set.size() - 2, "," + bad);
  };
  write("jwks.json", with_bad("one"));
  start();
  EXPECT_TRUE(believes("one"));
  EXPECT_EQ(logged("jwk_passed_over: key 2 of the JWK Set is not valid: "), 1U) << log.str();
  write("jwks.json", with_bad("six"));
  EXPECT_TRUE(run_until([&] { return believes("six"); }));
  EXPECT_EQ(logged("jwk_passed_over"), 2U) << log.str();
}

TEST_F(KeyringFiles, OfUsersMustBeRightAtTheStart) {
  options.user_files = {path("users")};
  write("users", "ann:secret\n");
  const auto why = why_not_open();
  EXPECT_NE(why.find("users:1: this is not a bcrypt hash"), std::string::npos) << why;
  EXPECT_EQ(why.find("secret"), std::string::npos);
}

TEST_F(KeyringFiles, OfAddressesMustBeReadableAtTheStart) {
  options.address_files = {path("none.txt")};
  EXPECT_NE(why_not_open().find("none.txt: cannot be read"), std::string::npos);
}

TEST_F(KeyringFiles, AreReadAgainWhenAnotherTakesTheirPlace) {
  start();
  write("next.json", jwk_set({"two"}));
  fs::rename(path("next.json"), path("jwks.json"));
  EXPECT_TRUE(run_until([&] { return believes("two"); }));
}

TEST_F(KeyringFiles, AreReadAgainWhenALinkOnTheWayPointsElsewhere) {
  for (const char* version : {"v1", "v2"}) {
    fs::create_directory(path(version));
    write(std::string(version) + "/jwks.json", jwk_set({version}));
  }
  fs::create_directory_symlink("v1", path("data"));
  options.jwt->issuers[0].keys.jwks_file = path("data/jwks.json");
  start();
  EXPECT_TRUE(believes("v1"));
  fs::create_directory_symlink("v2", path("data.next"));
  fs::rename(path("data.next"), path("data"));
  EXPECT_TRUE(run_until([&] { return believes("v2"); }));
}

TEST_F(KeyringFiles, ChangeNothingIfTheyAreOnlyTouched) {
  start();
  for (int i = 0; i < 5; ++i) {
    write("jwks.json", jwk_set({"one"}));
    loop.run_for(4ms);
  }
  EXPECT_TRUE(published.empty());
  EXPECT_EQ(log.str(), "");
}

TEST_F(KeyringFiles, KeepTheOldKeysIfTheyAreMalformed) {
  start();
  write("jwks.json", "{\"keys\": [");
  ASSERT_TRUE(run_until_failed());
  EXPECT_TRUE(believes("one"));
  EXPECT_TRUE(published.empty());
  EXPECT_FALSE(report().fresh);
  loop.run_for(20ms);
  EXPECT_EQ(report().failures, 1U) << "one a version of the file, not one a look";
  EXPECT_EQ(logged("keys_refused: the previous keys stay in force source=" + path("jwks.json") + " reason=\""), 1U);
  write("jwks.json", jwk_set({"one"}));
  EXPECT_TRUE(run_until([&] { return report().fresh; }));
  EXPECT_EQ(logged("keys_read"), 1U);
}

TEST_F(KeyringFiles, KeepTheOldKeysIfTheyAreMissing) {
  start();
  fs::remove(path("jwks.json"));
  ASSERT_TRUE(run_until_failed());
  EXPECT_TRUE(believes("one"));
  EXPECT_EQ(report().trouble, path("jwks.json") + ": cannot be read: No such file or directory");
  loop.run_for(20ms);
  EXPECT_EQ(logged("[test] "), 1U);
  write("jwks.json", jwk_set({"one"}));
  EXPECT_TRUE(run_until([&] { return report().fresh; })) << "though they say what they said before";
}

TEST_F(KeyringFiles, AreNotWaitedForIfTheyAreNotFiles) {
  start();
  fs::remove(path("jwks.json"));
  ASSERT_EQ(::mkfifo(path("jwks.json").c_str(), 0600), 0);
  ASSERT_TRUE(run_until([&] { return report().trouble == path("jwks.json") + ": is not a regular file"; }))
      << report().trouble;
  EXPECT_TRUE(believes("one"));
}

TEST_F(KeyringFiles, AreRefusedAtTheStartIfTheyAreInvalid) {
  write("jwks.json", "[]");
  EXPECT_THAT(why_not_open(), testing::StartsWith(path("jwks.json") + ": "));
  options.jwt.reset();
  use_api_keys("{\n  \"keys\": 1\n}");
  EXPECT_THAT(why_not_open(), testing::StartsWith(path("keys.json") + ":2:"));
  options.api_key.file = path("missing.json");
  EXPECT_EQ(why_not_open(), path("missing.json") + ": cannot be read: No such file or directory");
  options.api_key.file = directory.string();
  EXPECT_EQ(why_not_open(), directory.string() + ": is not a regular file");
}

TEST_F(KeyringFiles, AreNotReadBeyondWhatTheyMayHold) {
  write("jwks.json", std::string(1024UL * 1024, ' ') + jwk_set({"one"}));
  EXPECT_THAT(why_not_open(), testing::StartsWith(path("jwks.json") + ": "));
}

TEST_F(KeyringFiles, OfApiKeysComeBeforeTheConfigurationsOwnSoThatTheyCanTakeThemBack) {
  identity::ApiKeyRecord own;
  own.owner = "own";
  own.digest = identity::sha256("shared");
  options.api_key.known = {own};
  use_api_keys(R"({"keys": [)" + one_key("shared", "file") + "," + one_key("other", "file") + "]}");
  open();
  EXPECT_EQ(owner("shared"), "file");
  EXPECT_EQ(owner("other"), "file");
  EXPECT_EQ(keyring->reports().size(), 2U);
  EXPECT_EQ(report(1).source, path("keys.json"));
  EXPECT_EQ(report(1).keys, 2U);
}

TEST_F(KeyringFiles, OfApiKeysTakeAKeyBackWhenItIsNoLongerInThem) {
  use_api_keys(R"({"keys": [)" + one_key("a", "joe") + "]}");
  start();
  EXPECT_EQ(owner("a"), "joe");
  const auto verifier = keyring->now()->jwt;
  write("keys.json", R"({"keys": []})");
  EXPECT_TRUE(run_until([&] { return owner("a").empty(); }));
  EXPECT_EQ(keyring->now()->jwt, verifier) << "tokens have nothing to do with it";
}

TEST_F(KeyringFiles, OfApiKeysSayWhereTheyAreWrong) {
  use_api_keys(R"({"keys": [)" + one_key("a", "joe") + "]}");
  start();
  write("keys.json", "{\"keys\": [\n  {\"sha256\": \"nonsense\", \"owner\": \"joe\"}\n]}");
  ASSERT_TRUE(run_until([&] { return report(1).failures == 1; }));
  EXPECT_EQ(logged("reason=\"" + path("keys.json") + ":2:"), 1U) << log.str();
  EXPECT_EQ(owner("a"), "joe");
}

}  // namespace
}  // namespace headgate::keyring::test
