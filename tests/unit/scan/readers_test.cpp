// Readers of JSON in other languages see no other value than a scan, unless the scan says that the document is
// malformed or that a member is repeated. So nobody gets a cheaper price, or another key, than the server sees.

#include "support/folder.hpp"
#include "support/scanned.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/random.hpp"
#include "headgate/core/whole_number.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::scan {
namespace {

using test::Scanned;

using Kind = Found::Kind;

const std::string kScripts = HEADGATE_SOURCE_DIR "/tests/unit/scan/readers/";
const std::vector<std::string> kRead = {"/model", "/usage/total", "/list/1"};

std::string digits_of(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) append_hex(out, static_cast<unsigned char>(c));
  return out;
}

std::vector<std::string> written_by_hand() {
  std::vector<std::string> out;
  // Values, also of kinds that a limit does not expect.
  for (const auto* value : {"\"x\"",
                            "\"\"",
                            "\"\\u0041\\n\\/\"",
                            "\"\\ud83d\\ude00\"",
                            "\"\\ud83d\"",
                            "\"\\ude00\\ud83d\"",
                            "\"\\u0000x\"",
                            "\"\xc3\xa4\"",
                            "\"\xc3\"",
                            "\"\xed\xa0\xbd\xed\xb8\x80\"",
                            "\"\xf0\x9f\x98\x80\"",
                            "\"\xef\xbb\xbf\"",
                            "\"\t\"",
                            "'x'",
                            "x",
                            "0",
                            "-0",
                            "1e3",
                            "1E+3",
                            "100.0",
                            "1.5",
                            "-1",
                            "-1.5",
                            "1e400",
                            "-1e400",
                            "1e-400",
                            "0.1",
                            "01",
                            "+1",
                            "1.",
                            ".5",
                            "0x10",
                            "1_0",
                            "NaN",
                            "Infinity",
                            "-Infinity",
                            "9007199254740993",
                            "18446744073709551616",
                            "99999999999999999999999999",
                            "1.0000000000000000000001",
                            "0.9999999999999999999999",
                            "999999999999999.5",
                            "1000000000000001",
                            "123456789012345678e-17",
                            "true",
                            "false",
                            "null",
                            "True",
                            "undefined",
                            "[]",
                            "{}",
                            "[1,2,3]",
                            "{\"1\":5}",
                            "{\"total\":7}",
                            "{\"total\":7,\"total\":8}",
                            "{\"Total\":7}",
                            "{\"total\":7,\"Total\":8}",
                            "{\"total\":null,\"TOTAL\":9}",
                            "{\"t\\u006ftal\":7}",
                            "{\"total\":7,\"t\\u006ftal\":8}",
                            "{\"tota\xc5\x82\":7}",
                            "{\"total \":7}",
                            "{\"total\\u0000\":7}",
                            "[1,[2]]",
                            "[1,]",
                            "[,1]",
                            "[1 2]",
                            "{,}",
                            "{\"a\":1,}"})
    for (const auto* name : {"model", "usage", "list"}) out.push_back("{\"" + std::string(name) + "\":" + value + "}");
  // Names of members, and what surrounds a document.
  for (const auto* document : {"",
                               " ",
                               "{}",
                               "[]",
                               "null",
                               "{\"model\":\"a\",\"model\":\"b\"}",
                               "{\"model\":\"a\",\"Model\":\"b\"}",
                               "{\"MODEL\":\"b\"}",
                               "{\"m\\u006fdel\":\"b\"}",
                               "{\"model\":\"a\",\"m\\u006Fdel\":\"b\"}",
                               "{\"model\":\"a\",\"\\u006dODEL\":\"b\"}",
                               "{\"model\\u0000\":\"a\"}",
                               "{\"model\":\"a\",\"model\\u0000b\":\"c\"}",
                               "{\"mode\":\"a\",\"models\":\"b\"}",
                               "{\"u\xc5\xbf"
                               "age\":{\"total\":5}}",
                               "{\"u\\u017fage\":{\"total\":5}}",
                               "{\"li\xc5\xbft\":[1,2]}",
                               "{\"LI\\u017fT\":[1,2]}",
                               "{\"usage\":{\"total\":1},\"usage\":{}}",
                               "{\"usage\":{\"total\":1},\"usage\":null}",
                               "{\"usage\":{\"total\":1},\"usage\":{\"other\":2}}",
                               "{\"usage\":{\"total\":1},\"Usage\":{\"total\":2}}",
                               "{\"usage\":{\"total\":1},\"USAGE\":{}}",
                               "{\"usage\":null,\"usage\":{\"total\":1}}",
                               "{\"list\":[1,2],\"list\":[3]}",
                               "{\"list\":[1,2],\"list\":[3,4]}",
                               "{\"list\":[1,2],\"List\":[3,4]}",
                               "{\"list\":{\"1\":1,\"1\":2}}",
                               "{\"list\":{\"01\":1}}",
                               "{\"__proto__\":{\"model\":\"x\"}}",
                               "{\"model\":\"a\",\"__proto__\":{\"model\":\"x\"}}",
                               "{\"constructor\":1,\"model\":\"a\"}",
                               "\xEF\xBB\xBF{\"model\":\"a\"}",
                               "{\"model\":\"a\"}{\"model\":\"b\"}",
                               "{\"model\":\"a\"} {\"model\":\"b\"}",
                               "{\"model\":\"a\"}\n{\"model\":\"b\"}",
                               "{\"model\":\"a\"}]",
                               "{\"model\":\"a\"},",
                               "{\"model\":\"a\"} x",
                               "[{\"model\":\"a\"}]",
                               "// x\n{\"model\":\"a\"}",
                               "{\"model\":\"a\"/*,\"model\":\"b\"*/}",
                               "{\"model\":\"a\",}",
                               "{\"model\":\"a\",,\"list\":[1,2]}",
                               "{model:\"a\"}",
                               "{'model':\"a\"}",
                               "{\"model\":\"a\"",
                               "{\"model\":\"a",
                               "{\"model\"\n:\r\"a\"\t}",
                               "{\"model\":\"a\"\v}",
                               "{\"model\":\"a\"}\f",
                               "{\"x\":{\"model\":\"a\"},\"model\":\"b\"}",
                               "{\"x\":\"\\\",\\\"model\\\":\\\"a\",\"model\":\"b\"}",
                               "{\"x\":\"{\\\"model\\\":\\\"a\\\"}\"}",
                               "{\"\":{\"model\":\"a\"}}",
                               "{\"x\\\\\":\"\",\"model\":\"b\"}"})
    out.emplace_back(document);
  using namespace std::string_literals;
  out.push_back("{\"model\":\"a\"}\0"s);
  out.push_back("{\"model\0\":\"a\"}"s);
  out.push_back("{\0\"\0m\0o\0d\0e\0l\0\"\0:\0\"\0a\0\"\0}\0"s);  // UTF-16, which Python recognises
  out.push_back("\xff\xfe{\0\"\0m\0o\0d\0e\0l\0\"\0:\0\"\0a\0\"\0}\0"s);
  out.push_back("{\"model\":\"" + std::string(300, 'x') + "\"}");
  out.push_back("{\"model\":" + std::string(5000, '9') + "}");
  out.push_back("{\"x\":" + std::string(600, '[') + std::string(600, ']') + ",\"model\":\"a\"}");
  return out;
}

/// Adds documents that are made from the given ones by small mistakes.
void add_damaged(std::vector<std::string>& documents) {
  Random random(5);
  const auto count = documents.size();
  const auto piece = [&](const std::string& of) {
    const auto from = random() % (of.size() + 1);
    return of.substr(from, random() % 12);
  };
  while (documents.size() < 20 * count) {
    auto document = documents[random() % count];
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const auto place = random() % (document.size() + 1);
      switch (random() % 3) {
        case 0:
          document.insert(place, piece(documents[random() % count]));
          break;
        case 1:
          document.erase(place, 1 + random() % 3);
          break;
        default:
          if (place < document.size()) document[place] = "\"\\{}[]:,.0-eE mMu\n\xc3"[random() % 19];
      }
    }
    documents.push_back(std::move(document));
  }
}

/// Returns whether a reader that says this sees the same as the scan.
bool same(const Found& found, std::string_view said) {
  if (said == "absent") return found.kind == Kind::absent;
  if (said == "null") return found.kind == Kind::null;
  if (said == "nothing") return found.kind == Kind::absent || found.kind == Kind::null;
  if (said == "structure") return found.kind == Kind::structure;
  if (said == "true" || said == "false") return found.kind == Kind::boolean && found.truth == (said == "true");
  if (said.starts_with("number ")) {
    // A reader may have lost digits of a fraction. The scan is exact, so it is never below the reader.
    const auto number = whole_number<std::int64_t>(said.substr(7));
    return found.kind == Kind::number && number && found.number >= *number && found.number - *number <= 1;
  }
  if (!said.starts_with("text ") || found.kind != Kind::text) return false;
  const auto text = digits_of(found.text);
  return found.cut ? said.substr(5).starts_with(text) : said.substr(5) == text;
}

class Readers : public test::Folder {
 protected:
  Readers() : documents_(written_by_hand()) {
    add_damaged(documents_);
    std::string lines;
    for (const auto& document : documents_) lines += digits_of(document) + "\n";
    write("documents", lines);
  }
  static bool run(const std::string& command) { return std::system(command.c_str()) == 0; }  // NOLINT(cert-env33-c)

  /// Runs a reader, and compares what it says with what a scan finds. Returns how many values were compared.
  std::size_t compare(const std::string& command, const std::string& how = {}) {
    const auto answers = path("answers");
    EXPECT_TRUE(run(command + " " + path("documents") + " " + answers + " " + how));
    std::ifstream in(answers);
    Scanned scanned(kRead);
    std::size_t compared = 0;
    std::string said;
    for (const auto& document : documents_) {
      const auto& scan = scanned.whole(document);
      for (std::size_t i = 0; i < kRead.size(); ++i) {
        EXPECT_TRUE(std::getline(in, said)) << "the reader stopped";
        if (said == "refused" || scan.malformed() || scan.found(i).repeated) continue;
        EXPECT_TRUE(same(scan.found(i), said)) << kRead[i] << ", read as " << said << ", of " << document;
        ++compared;
      }
    }
    return compared;
  }

  std::vector<std::string> documents_;
};

TEST_F(Readers, InNodeSeeTheSame) {
  if (!run("command -v node >/dev/null")) GTEST_SKIP() << "no node on this machine";
  EXPECT_GT(compare("node " + kScripts + "read.js"), 1000U);
}

TEST_F(Readers, InPythonSeeTheSame) {
  if (!run("command -v python3 >/dev/null")) GTEST_SKIP() << "no python3 on this machine";
  EXPECT_GT(compare("python3 " + kScripts + "read.py"), 1000U);
}

TEST_F(Readers, InGoSeeTheSame) {
  if (!run("command -v go >/dev/null")) GTEST_SKIP() << "no go on this machine";
  ASSERT_TRUE(run("cd " + path(".") + " && GO111MODULE=off GOFLAGS= GOCACHE=" + path("cache") + " go build -o " +
                  path("read") + " " + kScripts + "read.go"));
  for (const auto* how : {"map", "struct", "decoder"}) EXPECT_GT(compare(path("read"), how), 1000U) << how;
}

}  // namespace
}  // namespace headgate::scan
