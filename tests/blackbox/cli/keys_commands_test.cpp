// headgate keys: what it prints and writes, and that it shows no key where none is needed.

#include "blackbox/harness/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

namespace headgate::test {
namespace {

using Json = nlohmann::json;

const std::string kKey = "hg_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

unsigned mode_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
}

/// The SHA-256 of `key` in hexadecimal.
std::string digest_of(const std::string& key) {
  std::array<unsigned char, 32> digest{};
  std::size_t size = digest.size();
  EXPECT_EQ(::EVP_Q_digest(nullptr, "SHA256", nullptr, key.data(), key.size(), digest.data(), &size), 1);
  std::string text;
  for (const unsigned byte : digest) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    text += digits.data();
  }
  return text;
}

/// `headgate keys WORDS` with `input` on its stdin. No word has a quote in it.
Ran keys(const Words& words, const std::string& input) {
  const TemporaryFile in(input, "in");
  const TemporaryFile err("", "err");
  std::string command = std::string("'") + HEADGATE_BINARY + "' keys";
  for (const auto& word : words) command += " '" + word + "'";
  command += " <'" + in.path() + "' 2>'" + err.path() + "'";
  Ran ran;
  FILE* const out = ::popen(command.c_str(), "r");
  std::array<char, 4096> block{};
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), out)) > 0;)
    ran.out.append(block.data(), got);
  const int status = ::pclose(out);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.err = content(err.path());
  return ran;
}

/// A key file that knows kKey, with more `members` of its record.
std::string file_with(const std::string& members) {
  return R"({"keys": [{"sha256": ")" + digest_of(kKey) + R"(", "owner": "acme")" + members + "}]}";
}

TEST(KeysNew, PrintsAKeyAndTheRecordThatKnowsIt) {
  const Ran ran = run_headgate({"keys", "new", "--owner", "acme", "--tier", "pro", "--expires", "2999-01-31"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::istringstream lines(ran.out);
  std::string key;
  std::string record;
  ASSERT_TRUE(std::getline(lines, key) && std::getline(lines, record)) << ran.out;
  EXPECT_EQ(key.size(), 46U);
  EXPECT_TRUE(key.starts_with("hg_")) << key;
  const Json read = Json::parse(record, nullptr, false);
  const Json expected{{"sha256", digest_of(key)}, {"owner", "acme"}, {"tier", "pro"}, {"expires", "2999-01-31"}};
  EXPECT_EQ(read, expected) << record;
  const TemporaryFile file("{\"keys\": [" + record + "]}");
  const Ran checked = keys({"check", file.path(), "--key", "-"}, key);
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_EQ(checked.out, "this key is acme's, of tier pro, good until 2999-02-01T00:00:00Z\n");
}

TEST(KeysNew, WritesTheGroupsOfTheKey) {
  const Ran ran =
      run_headgate({"keys", "new", "--owner", "acme", "--group", "team=search & find", "--group", "cost-centre=a=b"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto end = ran.out.find('\n');
  const Json read = Json::parse(ran.out.substr(end + 1), nullptr, false);
  EXPECT_EQ(read.value("groups", Json()), (Json{{"team", "search & find"}, {"cost-centre", "a=b"}})) << ran.out;
  const TemporaryFile file("{\"keys\": [" + ran.out.substr(end + 1) + "]}");
  EXPECT_EQ(keys({"check", file.path(), "--key", "-"}, ran.out.substr(0, end)).out,
            "this key is acme's, team search & find, cost-centre a=b\n");
  for (const auto* const wrong : {"team", "=search", "team=", "the team=search"}) {
    const Ran refused = run_headgate({"keys", "new", "--group", wrong});
    EXPECT_EQ(refused.code, 2) << wrong;
    EXPECT_NE(refused.err.find("team=search"), std::string::npos) << refused.err;
  }
}

TEST(KeysNew, MakesAnotherKeyEachTime) {
  std::set<std::string> made;
  std::set<char> letters;
  for (int i = 0; i < 20; ++i) {
    const Ran ran = run_headgate({"keys", "new", "--prefix", "acme_live"});
    const std::string key = ran.out.substr(0, ran.out.find('\n'));
    EXPECT_TRUE(key.starts_with("acme_live_")) << key;
    const std::string random = key.substr(10);
    EXPECT_EQ(random.size(), 43U);
    EXPECT_TRUE(std::all_of(random.begin(), random.end(), [](unsigned char c) { return std::isalnum(c) != 0; })) << key;
    letters.insert(random.begin(), random.end());
    made.insert(key);
  }
  EXPECT_EQ(made.size(), 20U);
  EXPECT_GT(letters.size(), 55U) << "860 draws of 62 letters";
}

TEST(KeysNew, LeavesAnOwnerToWriteThatNobodyCanForget) {
  const Ran ran = run_headgate({"keys", "new"});
  EXPECT_EQ(ran.code, 0);
  const std::string record = ran.out.substr(ran.out.find('\n') + 1);
  const TemporaryFile file("{\"keys\": [" + record + "]}");
  const Ran checked = run_headgate({"keys", "check", file.path()});
  EXPECT_EQ(checked.code, 3);
  EXPECT_TRUE(has(checked.err, "/keys/0/owner")) << checked.err;
}

TEST(KeysNew, RefusesWhatNoFileWouldTake) {
  for (const auto& [words, option] : std::vector<std::pair<Words, std::string>>{
           {{"--owner", "two words"}, "--owner"},
           {{"--owner", "a\",\"tier\":\"b"}, "--owner"},
           {{"--tier", "a b"}, "--tier"},
           {{"--expires", "tomorrow"}, "--expires"},
           {{"--expires", "2020-01-01"}, "--expires"},
           {{"--prefix", "a b"}, "--prefix"},
           {{"--prefix", ""}, "--prefix"},
           {{"--file", "/nowhere/keys.json"}, "--owner"},
       }) {
    Words all{"keys", "new"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = run_headgate(all);
    EXPECT_EQ(ran.code, 2) << option << ran.err;
    EXPECT_TRUE(has(ran.err, option)) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(KeysNew, MakesAFileThatOnlyItsOwnerReads) {
  const TemporaryFile beside("");
  const std::string path = std::filesystem::path(beside.path()).replace_filename("keys.json");
  const Ran ran = run_headgate({"keys", "new", "--owner", "acme", "--file", path});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << "the key alone: " << ran.out;
  EXPECT_FALSE(has(content(path), ran.out.substr(0, ran.out.size() - 1)));
  EXPECT_EQ(keys({"check", path, "--key", "-"}, ran.out).out, "this key is acme's\n");
}

TEST(KeysNew, AddsToAFileAndLeavesTheRestAsItIs) {
  const std::string before = "{ \"keys\": [\n\t{\"owner\":\"old\",   \"sha256\":\"" + digest_of(kKey) +
                             "\", \"note\": \"a ] in a text\"}\n]\n}  \n";
  const TemporaryFile file(before);
  ASSERT_EQ(::chmod(file.path().c_str(), 0640), 0);
  const Ran ran = run_headgate({"keys", "new", "--owner", "new", "--file", file.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "2 keys")) << ran.err;
  EXPECT_EQ(mode_of(file.path()), 0640U);
  const std::string after = content(file.path());
  EXPECT_TRUE(after.starts_with(before.substr(0, before.find("\n]")) + ",\n")) << after;
  EXPECT_EQ(keys({"check", file.path(), "--key", "-"}, kKey).out, "this key is old's\n");
  EXPECT_EQ(keys({"check", file.path(), "--key", "-"}, ran.out).out, "this key is new's\n");
  const auto directory = std::filesystem::path(file.path()).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1) << "a draft is left";
}

TEST(KeysNew, FollowsALinkToTheFile) {
  const TemporaryFile file("{\"keys\": []}");
  const std::string link = file.path() + ".link";
  ASSERT_EQ(::symlink(file.path().c_str(), link.c_str()), 0);
  EXPECT_EQ(run_headgate({"keys", "new", "--owner", "acme", "--file", link}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(has(content(file.path()), "acme"));
}

TEST(KeysNew, TouchesNoFileItDoesNotUnderstand) {
  const std::string broken = "{\"keys\": [\n  {\"owner\": \"acme\"}\n]}";
  const TemporaryFile file(broken);
  const Ran ran = run_headgate({"keys", "new", "--owner", "acme", "--file", file.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, file.path() + ":2:3: error: \"sha256\" is missing here [/keys/0]")) << ran.err;
  EXPECT_EQ(ran.out, "") << "a key that no file has";
  EXPECT_EQ(content(file.path()), broken);
}

TEST(KeysNew, ShowsNoKeyThatItCouldNotWriteDown) {
  const TemporaryFile file("");
  for (const std::string& path : {file.path() + "/keys.json", std::string("/proc/headgate/keys.json"),
                                  std::filesystem::path(file.path()).parent_path().string()}) {
    const Ran ran = run_headgate({"keys", "new", "--owner", "acme", "--file", path});
    EXPECT_EQ(ran.code, 1) << path;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(has(ran.err, path)) << ran.err;
  }
}

TEST(KeysNew, LosesNoKeyWhereSeveralAreAddedAtOnce) {
  const TemporaryFile file("{\"keys\": []}");
  std::vector<std::unique_ptr<Process>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(std::make_unique<Process>(Words{"keys", "new", "--owner", "acme", "--file", file.path()}));
  for (auto& each : all) EXPECT_EQ(each->wait(2 * kPatience), 0) << each->err();
  EXPECT_EQ(run_headgate({"keys", "check", file.path()}).out,
            file.path() + ": 8 keys of 1 owner, 0 expired, 0 disabled\n");
}

TEST(KeysHash, IsTheSha256OfTheLineOnStdin) {
  for (const char* end : {"", "\n", "\r\n"}) {
    const Ran ran = keys({"hash"}, kKey + end);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, digest_of(kKey) + "\n");
    EXPECT_EQ(ran.err, "");
  }
}

TEST(KeysHash, WarnsOfAKeyThatCanBeGuessed) {
  const Ran ran = keys({"hash"}, "test\n");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n");
  EXPECT_TRUE(has(ran.err, "can be guessed")) << ran.err;
}

TEST(KeysHash, RefusesWhatNoRequestCouldCarry) {
  for (const auto& input : {std::string(), std::string("\n"), std::string("two\nlines\n"), std::string(" spaced"),
                            std::string("\xC3\xBC\n"), std::string(257, 'k'), std::string(100'000, 'k')}) {
    const Ran ran = keys({"hash"}, input);
    EXPECT_EQ(ran.code, 1) << input.substr(0, 20);
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(has(ran.err, "help: ")) << ran.err;
  }
}

TEST(KeysHash, TakesNoKeyFromTheCommandLine) {
  const Ran ran = run_headgate({"keys", "hash", kKey});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
}

TEST(KeysHash, AsksATerminalWithoutEcho) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0) << "this machine has no terminals";
  if (child == 0) {
    ::execl(HEADGATE_BINARY, "headgate", "keys", "hash", nullptr);
    ::_exit(127);
  }
  const auto until = std::chrono::steady_clock::now() + kPatience;
  termios settings{};
  // The prompt comes before the echo goes: only the terminal itself tells when a key may be typed.
  do {
    std::this_thread::sleep_for(Milliseconds(1));
    ASSERT_EQ(::tcgetattr(terminal, &settings), 0);
  } while ((settings.c_lflag & ECHO) != 0 && std::chrono::steady_clock::now() < until);
  EXPECT_EQ(settings.c_lflag & ECHO, 0U);
  const std::string line = kKey + "\n";
  ASSERT_EQ(::write(terminal, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  std::string shown;
  std::array<char, 1024> block{};
  for (ssize_t got = 0; (got = ::read(terminal, block.data(), block.size())) > 0;)
    shown.append(block.data(), static_cast<std::size_t>(got));
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  EXPECT_EQ(WEXITSTATUS(status), 0) << shown;
  EXPECT_TRUE(has(shown, "Key: ")) << shown;
  EXPECT_TRUE(has(shown, digest_of(kKey))) << shown;
  EXPECT_FALSE(has(shown, kKey)) << shown;
}

TEST(KeysCheck, CountsWhatAFileHolds) {
  const TemporaryFile file(R"({"keys": [
    {"sha256": ")" + std::string(64, 'a') +
                           R"(", "owner": "acme"},
    {"sha256": ")" + std::string(64, 'b') +
                           R"(", "owner": "acme", "expires": "2020-01-01"},
    {"sha256": ")" + std::string(64, 'c') +
                           R"(", "owner": "bolt", "disabled": true, "expires": "2999-01-01"}]})");
  const Ran ran = run_headgate({"keys", "check", file.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, file.path() + ": 3 keys of 2 owners, 1 expired, 1 disabled\n");
}

TEST(KeysCheck, SaysWhereAFileIsWrongAndRepeatsNothingOfIt) {
  const TemporaryFile file("{\"keys\": [\n  {\"sha256\": \"" + kKey + "\", \"owner\": \"acme\"}]}");
  const Ran ran = run_headgate({"keys", "check", file.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with(file.path() + ":2:14: error: ")) << ran.err;
  EXPECT_TRUE(has(ran.err, "[/keys/0/sha256]\n  help: ")) << ran.err;
  EXPECT_FALSE(has(ran.err, kKey)) << ran.err;
  EXPECT_EQ(run_headgate({"keys", "check", file.path() + ".none"}).code, 3);
}

TEST(KeysCheck, PrintsTheOwnerOfAKeyAndWhetherItIsValid) {
  struct Case {
    std::string members;
    int code;
    std::string said;
  };
  for (const auto& [members, code, said] : std::vector<Case>{
           {"", 0, "this key is acme's\n"},
           {R"(, "disabled": true)", 1, "this key is acme's, disabled\n"},
           {R"(, "expires": "2020-01-01")", 1, "this key is acme's, expired since 2020-01-02T00:00:00Z\n"},
           {R"(, "limits": {"a": "1/s", "b": "unlimited"})", 0, "this key is acme's, with limits of its own: a b\n"},
       }) {
    const TemporaryFile file(file_with(members));
    const Ran ran = keys({"check", file.path(), "--key", "-"}, kKey + "\n");
    EXPECT_EQ(ran.code, code) << members << ran.err;
    EXPECT_EQ(ran.out, said);
  }
}

TEST(KeysCheck, DoesNotKnowAnotherKey) {
  const TemporaryFile file(file_with(""));
  const Ran ran = keys({"check", file.path(), "--key", "-"}, kKey + "H\n");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(has(ran.err, "does not know this key")) << ran.err;
}

TEST(KeysCheck, TakesNoKeyFromTheCommandLine) {
  const TemporaryFile file(file_with(""));
  const Ran ran = run_headgate({"keys", "check", file.path(), "--key", kKey});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "--key -")) << ran.err;
  EXPECT_FALSE(has(ran.err, kKey)) << ran.err;
}

}  // namespace
}  // namespace headgate::test
