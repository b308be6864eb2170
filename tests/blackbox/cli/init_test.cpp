// headgate init: what it writes can be used at once, and nothing is overwritten.

#include "blackbox/tls/tls_gateway.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace headgate::test {
namespace {

class Init : public testing::Test {
 protected:
  Init() : folder_(std::filesystem::path(place_.path()).parent_path()) { std::filesystem::remove(place_.path()); }

  std::string in(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(in(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Ran init(const Words& more) const {
    Words words{"init", folder_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_headgate(words);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& each : std::filesystem::directory_iterator(folder_)) out.push_back(each.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  static int openssl(const std::string& words) {
    return std::system((kOpenssl + " " + words + " >/dev/null 2>&1").c_str());  // NOLINT(cert-env33-c)
  }

 private:
  TemporaryFile place_{""};

 protected:
  std::filesystem::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(Init, WritesAFileThatServes) {
  const auto ran = init({});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(names(), Names{"headgate.json"});
  EXPECT_EQ(run_headgate({"check", "-c", in("headgate.json")}).code, 0);
}

TEST_F(Init, WritesACertificateForThisMachineAndTheNamesGiven) {
  const auto ran = init({"--tls", "--name", "api.internal", "--name", "10.0.0.5", "--days", "30"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(names(), (Names{"headgate-cert.pem", "headgate-key.pem", "headgate.json"}));
  EXPECT_TRUE(has(ran.out, "localhost, 127.0.0.1, ::1, api.internal, 10.0.0.5")) << ran.out;
  struct stat about {};
  ASSERT_EQ(::stat(in("headgate-key.pem").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U) << "nobody else may read the key";
  if (!installed(kOpenssl)) GTEST_SKIP() << "no " << kOpenssl << " on this machine";
  const auto certificate = in("headgate-cert.pem");
  for (const char* check : {"-verify_hostname localhost", "-verify_hostname api.internal", "-verify_ip 127.0.0.1",
                            "-verify_ip ::1", "-verify_ip 10.0.0.5"})
    EXPECT_EQ(openssl("verify -purpose sslserver -CAfile " + certificate + " " + check + " " + certificate), 0)
        << check;
  EXPECT_NE(openssl("verify -CAfile " + certificate + " -verify_hostname other.example " + certificate), 0);
  EXPECT_EQ(openssl("x509 -noout -checkend " + std::to_string(29 * 86'400) + " -in " + certificate), 0);
  EXPECT_NE(openssl("x509 -noout -checkend " + std::to_string(31 * 86'400) + " -in " + certificate), 0);
  EXPECT_EQ(openssl("pkey -noout -in " + in("headgate-key.pem")), 0);
}

TEST_F(Init, WritesAPairThatAServerCanUse) {
  ASSERT_EQ(init({"--tls"}).code, 0);
  if (!installed(kOpenssl)) GTEST_SKIP() << "no " << kOpenssl << " on this machine";
  RealServer server(kOpenssl, [&](std::uint16_t port) {
    return Words{"s_server", "-www",
                 "-accept",  "127.0.0.1:" + std::to_string(port),
                 "-cert",    in("headgate-cert.pem"),
                 "-key",     in("headgate-key.pem")};
  });
  ASSERT_TRUE(server.listens()) << server.said();
  const Json config = {
      {"listen", "127.0.0.1:0"},
      {"admin", "off"},
      {"upstreams", {{"app", {{"servers", {server.url("https")}}, {"tls", {{"ca", in("headgate-cert.pem")}}}}}}},
      {"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}};
  Gateway gateway(config);
  EXPECT_EQ(gateway.client().get("/").status(), 200) << gateway.process().err();
}

TEST_F(Init, WritesAFileForItsCertificate) {
  ASSERT_EQ(init({"--tls"}).code, 0);
  const auto checked = run_headgate({"check", "-c", in("headgate.json")});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST_F(Init, WritesATestBesideTheKindThatIsAskedFor) {
  const auto ran = init({"--kind", "saas", "--to", "http://127.0.0.1:1", "--limit", "30/minute", "--gateways", "2"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(names(), (Names{"headgate.json", "headgate.test.json"}));
  EXPECT_TRUE(has(ran.out, "wrote ")) << ran.out;
  for (const char* each : {"\"instances\": 2", "\"30/minute\"", "\"300/minute\"", "\"require\": \"jwt\""})
    EXPECT_TRUE(has(text("headgate.json"), each)) << text("headgate.json");
  const auto checked = run_headgate({"check", "--strict", "-c", in("headgate.json")});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_EQ(run_headgate({"fmt", "--check", in("headgate.json"), in("headgate.test.json")}).code, 0);
}

TEST_F(Init, WritesTestsThatHold) {
  for (const char* kind : {"minimal", "saas", "cluster"}) {
    ASSERT_EQ(init({"--kind", kind}).code, 0);
    const auto tested = run_headgate({"test", in("headgate.test.json")});
    EXPECT_EQ(tested.code, 0) << kind << tested.out << tested.err;
    for (const char* each : {"headgate.json", "headgate.test.json"}) std::filesystem::remove(in(each));
  }
}

TEST_F(Init, AsksATerminalForWhatItNeedsToKnow) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0) << "this machine has no terminals";
  if (child == 0) {
    ::execl(HEADGATE_BINARY, "headgate", "init", folder_.c_str(), nullptr);
    ::_exit(127);
  }
  const std::string lines = "http://127.0.0.1:1\nkeys\n7/second\n\nyes\n";
  ASSERT_EQ(::write(terminal, lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  std::string shown;
  std::array<char, 1024> block{};
  for (ssize_t got = 0; (got = ::read(terminal, block.data(), block.size())) > 0;)
    shown.append(block.data(), static_cast<std::size_t>(got));
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  EXPECT_EQ(WEXITSTATUS(status), 0) << shown;
  EXPECT_TRUE(has(shown, "Who calls: anyone, keys (API keys) or tokens (JWT)? [anyone]")) << shown;
  EXPECT_EQ(names(), (Names{"headgate-cert.pem", "headgate-key.pem", "headgate.json", "headgate.test.json"}));
  EXPECT_TRUE(has(text("headgate.json"), "7/second")) << text("headgate.json");
  EXPECT_EQ(run_headgate({"check", "--strict", "-c", in("headgate.json")}).code, 0);
}

TEST_F(Init, AsksNothingIfThereIsNoSuchDirectory) {
  const auto ran = run_headgate({"init", in("missing"), "--kind", "minimal"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err,
            "headgate: there is no directory " + in("missing") + "\n  help: make it first, as with mkdir -p\n");
  std::ofstream(in("file")) << "";
  EXPECT_TRUE(has(run_headgate({"init", in("file")}).err, "is not a directory"));
}

TEST_F(Init, OverwritesNoTest) {
  std::ofstream(in("headgate.test.json")) << "mine";
  const auto ran = init({"--kind", "minimal"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "headgate.test.json exists already")) << ran.err;
  EXPECT_EQ(names(), Names{"headgate.test.json"});
}

TEST_F(Init, OverwritesNothing) {
  for (const char* there : {"headgate.json", "headgate-cert.pem", "headgate-key.pem"}) {
    std::ofstream(in(there)) << "mine";
    const auto ran = init({"--tls"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(has(ran.err, std::string(there) + " exists already")) << ran.err;
    EXPECT_EQ(text(there), "mine");
    EXPECT_EQ(names(), Names{there}) << "and no half of a pair";
    std::filesystem::remove(in(there));
  }
}

TEST_F(Init, SaysWhatIsWrong) {
  const auto name = init({"--tls", "--name", "localhost,DNS:evil.example"});
  EXPECT_EQ(name.code, 2);
  EXPECT_TRUE(has(name.err, "neither a name of the DNS nor an IP address")) << name.err;
  EXPECT_EQ(init({"--name", "a.example"}).code, 2) << "without --tls there is no certificate";
  EXPECT_EQ(init({"--tls", "--days", "0"}).code, 2);
  const auto url = init({"--to", "app:3000"});
  EXPECT_EQ(url.code, 2);
  EXPECT_TRUE(has(url.err, "headgate: --to: ")) << url.err;
  EXPECT_EQ(init({"--limit", "100r/m"}).code, 2);
  EXPECT_EQ(init({"--kind", "large"}).code, 2);
  EXPECT_EQ(init({"--gateways", "0"}).code, 2);
  const auto nowhere = run_headgate({"init", in("no/such/folder"), "--tls"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(has(nowhere.err, "there is no directory")) << nowhere.err;
  EXPECT_EQ(names(), Names{});
}

}  // namespace
}  // namespace headgate::test
