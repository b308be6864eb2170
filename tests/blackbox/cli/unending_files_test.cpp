// Files that never end: pipes that nobody writes to, and devices. No command and no gateway waits for them.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/limits/issued_keys.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace headgate::test {
namespace {

class UnendingFiles : public testing::TestWithParam<const char*> {
 protected:
  UnendingFiles() {
    folder_ = std::filesystem::path(policy_.path()).parent_path().string();
    const std::string kind = GetParam();
    unending_ = kind == "pipe" ? in_folder("pipe") : "/dev/" + kind;
    if (kind == "pipe") {
      EXPECT_EQ(::mkfifo(unending_.c_str(), 0600), 0);
    }
  }

  std::string in_folder(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(in_folder(name)) << text;
    return in_folder(name);
  }
  /// A configuration with these members.
  std::string config(const Json& changes) const {
    auto out = Json::parse(kPolicyText);
    out.merge_patch(changes);
    return write("config.json", out.dump());
  }
  void expect_refused(const Words& words) const {
    const auto ran = run_headgate(words);
    EXPECT_GT(ran.code, 0) << words.front() << ": " << ran.out << ran.err;
    EXPECT_TRUE(has(ran.err + ran.out, unending_)) << ran.out << ran.err;
  }

  static constexpr const char* kPolicyText =
      R"({"listen": ":8080", "upstreams": {"app": "http://127.0.0.1:3000"}, "routes": [{"path": "/*", "to": "app"}]})";
  const TemporaryFile policy_{kPolicyText};
  std::string folder_;
  std::string unending_;
};

TEST_P(UnendingFiles, AreRefusedByCommands) {
  expect_refused({"check", "-c", unending_});
  expect_refused({"fmt", unending_});
  expect_refused({"test", unending_});
  expect_refused({"import", "--from", "nginx", unending_});
  expect_refused({"import", write("nginx.conf", "http {\n  include " + unending_ + ";\n}\n")});
  expect_refused({"simulate", "-c", policy_.path(), "--log", unending_});
  expect_refused({"simulate", "-c", policy_.path(), "--arrivals", "burst 1", "--compare", unending_});
  expect_refused({"explain", "--request-id", "x", "--log", unending_});
  expect_refused({"keys", "check", unending_});
  expect_refused({"prices", "check", unending_});
  expect_refused({"prices", "import", unending_});
  expect_refused({"load", "--key-file", unending_, "--to", "http://127.0.0.1:9"});
  expect_refused({"status", "--token-file", unending_});
}

TEST_P(UnendingFiles, AreMistakesInConfigurations) {
  const Json tls = {{"listen", {{"address", ":8443"}, {"tls", {{"certificate", unending_}, {"key", unending_}}}}}};
  expect_refused({"check", "-c", config(tls)});
  expect_refused({"check", "-c", config({{"include", {unending_}}})});
  expect_refused({"check", "-c", config({{"identity", {{"api_key", {{"file", unending_}}}}}})});
  expect_refused({"check", "-c", config({{"error_pages", {{"502", unending_ + ".html"}}}})});
  expect_refused({"check", "-c", config({{"admin", {{"token", "${file:" + unending_ + "}"}}}})});
  auto basic = Json::parse(kPolicyText)["routes"];
  basic[0]["basic"] = {{"file", unending_}};
  expect_refused({"check", "-c", config({{"routes", basic}})});
}

TEST_P(UnendingFiles, KeepNoGatewayFromReloads) {
  const Json with_admin = {{"admin", {{"listen", "127.0.0.1:0"}}}};
  Reloaded gateway(with_admin);
  const auto good = text_of_file(gateway.path());
  const Operator admin(gateway.process());
  std::filesystem::remove(gateway.path());
  std::filesystem::create_symlink(unending_, gateway.path());
  EXPECT_EQ(admin.ask("POST", "/api/v1/reload").status(), 422);
  const auto candidate = admin.ask("PUT", "/api/v1/candidate", Json{{"file", unending_}}.dump());
  EXPECT_TRUE(has(candidate.body, "there is no such file")) << candidate.body;
  std::filesystem::remove(gateway.path());
  write_file(gateway.path(), good);
  EXPECT_EQ(admin.ask("POST", "/api/v1/reload").status(), 200);
  EXPECT_EQ(gateway.gateway().terminate(), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, UnendingFiles, testing::Values("pipe", "zero"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Pipes, AreReadIfSomebodyWritesToThem) {
  Process shell(
      {"-c", std::string(HEADGATE_BINARY) +
                 R"( check -c <(sleep 0.3; echo '{"listen": ":8080", "upstreams": {"app": "http://127.0.0.1:3000"},)"
                 R"("routes": [{"path": "/*", "to": "app"}]}'))"},
      {}, "/bin/bash");
  EXPECT_EQ(shell.wait(), 0) << shell.out() << shell.err();
}

}  // namespace
}  // namespace headgate::test
