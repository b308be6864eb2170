// Certificates that change while the gateway runs.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace headgate::test {
namespace {

/// A folder with a.pem and a.key, which a listener uses.
class CertificateSwap : public testing::Test {
 protected:
  CertificateSwap() {
    copy("good.pem", "a.pem");
    copy("good.key", "a.key");
    Json config = {
        {"listen", {{"address", "127.0.0.1:0"}, {"tls", {{"certificate", path("a.pem")}, {"key", path("a.key")}}}}},
        {"admin", {{"listen", "127.0.0.1:0"}}}};
    proxy = std::make_unique<Proxy>(config);
    says("started: ");  // the files were read
  }
  /// Replaces it at once, as a program does that renews certificates.
  void copy(const std::string& from, const std::string& to) {
    std::filesystem::copy_file(tls_file(from), path(to + ".new"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(path(to + ".new"), path(to));
  }
  std::string path(const std::string& name) const {
    return std::filesystem::path(folder.path()).parent_path().string() + '/' + name;
  }
  std::string served() const {
    RawClient client(proxy->gateway.port());
    return client.socket().secure({.name = "rsa.example"}) ? client.socket().tls()->server() : "none";
  }
  bool comes_to_serve(const std::string& name) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (served() != name && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(Milliseconds(50));
    return served() == name;
  }
  bool says(const std::string& event) {
    return proxy->gateway.process().wait_for_err([&](const std::string& err) { return has(err, event); });
  }

  TemporaryFile folder{"", "marker"};
  std::unique_ptr<Proxy> proxy;
};

TEST_F(CertificateSwap, GivesNewConnectionsTheNewOneAndKeepsTheOld) {
  auto before = proxy->client();
  ASSERT_EQ(before.get("/").status(), 200);
  EXPECT_EQ(served(), "good");
  copy("rsa.key", "a.key");
  copy("rsa.pem", "a.pem");
  EXPECT_TRUE(comes_to_serve("rsa")) << proxy->gateway.process().err();
  EXPECT_TRUE(says("certificate_read"));
  EXPECT_EQ(before.get("/").status(), 200) << "it lives on";
  EXPECT_FALSE(has(proxy->gateway.process().err(), "certificate_refused")) << "one file was before the other";
}

TEST_F(CertificateSwap, OfABadPairChangesNothing) {
  copy("rsa.key", "a.key");
  EXPECT_TRUE(says("certificate_refused"));
  EXPECT_TRUE(proxy->gateway.process().says("does not belong to the certificate")) << proxy->gateway.process().err();
  EXPECT_EQ(served(), "good");
  const Look look(proxy->gateway.process());
  EXPECT_NE(look.text().find(R"(headgate_certificate_reads_total{result="refused"} 1)"), std::string::npos);
  copy("rsa.pem", "a.pem");
  EXPECT_TRUE(comes_to_serve("rsa")) << "the other file has followed";
}

TEST_F(CertificateSwap, OfAMissingFileChangesNothing) {
  std::filesystem::remove(path("a.pem"));
  EXPECT_TRUE(says("certificate_refused"));
  EXPECT_EQ(served(), "good");
  copy("good.pem", "a.pem");
  EXPECT_TRUE(says("certificate_read")) << "it is back";
}

TEST(Certificates, ThatEndSoonAreReported) {
  const Json tls = {{"certificate", tls_file("ended.pem")}, {"key", tls_file("good.key")}};
  Proxy proxy(Json({{"listen", {{"address", "127.0.0.1:0"}, {"tls", tls}}}}));
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& err) { return has(err, "certificate_expires") && has(err, "it has ended"); }));
}

TEST(Certificates, OfAReloadAreUsedByNewConnections) {
  FakeUpstream upstream;
  auto config =
      config_for(upstream, {{"listen",
                             {{"address", "127.0.0.1:0"},
                              {"tls", {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}}}}}});
  TemporaryFile file(config.dump());
  Gateway gateway(Words{"run", "-c", file.path()});
  const auto served = [&] {
    RawClient client(gateway.port());
    return client.socket().secure({.name = "rsa.example"}) ? client.socket().tls()->server() : "none";
  };
  EXPECT_EQ(served(), "good");
  config["listen"]["tls"] = {{"certificate", tls_file("rsa.pem")}, {"key", tls_file("rsa.key")}};
  std::ofstream(file.path()) << config.dump();
  gateway.process().signal(SIGHUP);
  ASSERT_TRUE(gateway.process().wait_for_err([](const std::string& err) { return has(err, "config_reloaded"); }));
  EXPECT_EQ(served(), "rsa");
  EXPECT_FALSE(has(gateway.process().err(), "config_needs_restart")) << gateway.process().err();
}

TEST_F(CertificateSwap, ListsWhatIsInForceAndNamesWhatWasRefused) {
  const Operator operators(proxy->gateway.process());
  const auto certificate = [&] { return operators.get("/api/v1/certificates")["certificates"].at(0); };
  const auto before = certificate();
  EXPECT_EQ(before["file"], path("a.pem"));
  EXPECT_EQ(before["use"], "listener");
  EXPECT_EQ(before["used_by"], Json::array({"127.0.0.1:0"}));
  EXPECT_FALSE(before.contains("refused"));
  EXPECT_FALSE(before["serial"].get<std::string>().empty());
  const auto certs = [&] { return run_headgate({"certs", "--admin", operators.url()}); };
  EXPECT_EQ(certs().code, 0) << certs().err;
  EXPECT_NE(certs().out.find("a.example"), std::string::npos) << certs().out;
  copy("rsa.key", "a.key");
  ASSERT_TRUE(says("certificate_refused"));
  EXPECT_EQ(certificate()["serial"], before["serial"]) << "the older one is in use";
  EXPECT_EQ(certificate()["loaded"], before["loaded"]);
  EXPECT_NE(certificate()["refused"].get<std::string>().find("a.key"), std::string::npos) << certificate();
  EXPECT_EQ(certs().code, 1);
  EXPECT_NE(certs().err.find("were refused"), std::string::npos) << certs().err;
  copy("rsa.pem", "a.pem");
  ASSERT_TRUE(comes_to_serve("rsa"));
  EXPECT_NE(certificate()["serial"], before["serial"]);
  EXPECT_FALSE(certificate().contains("refused"));
}

}  // namespace
}  // namespace headgate::test
