// OCSP responses that a listener sends with its certificates: made by openssl ocsp, asked for by openssl s_client.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"

#include <gtest/gtest.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace headgate::test {
namespace {

constexpr const char* kNone = "OCSP response: no response sent";
constexpr const char* kBothVersions[] = {"-tls1_2", "-tls1_3"};

std::string run_openssl(const std::string& line) {
  Process process({"-c", "openssl " + line + " 2>&1 </dev/null"}, {}, "/bin/sh");
  process.wait(2 * kPatience);
  return process.out();
}

/// In hexadecimal, as OpenSSL prints it.
std::string serial_of(const std::string& certificate) {
  const auto said = run_openssl("x509 -noout -serial -in " + tls_file(certificate));
  return said.substr(said.find('=') + 1, said.find('\n') - said.find('=') - 1);
}

template <class T, auto free>
using Owned = std::unique_ptr<T, decltype([](T* object) { free(object); })>;

/// Signed by the authority, about good.pem, and ending in `after`: openssl ocsp counts in minutes.
std::string response_for(int after) {
  const auto pem = [](const char* name, auto read) {
    std::FILE* const file = std::fopen(tls_file(name).c_str(), "r");
    auto* const out = read(file, nullptr, nullptr, nullptr);
    std::fclose(file);
    return out;
  };
  const Owned<X509, X509_free> own(pem("good.pem", PEM_read_X509));
  const Owned<X509, X509_free> authority(pem("ca.pem", PEM_read_X509));
  const Owned<EVP_PKEY, EVP_PKEY_free> key(pem("ca.key", PEM_read_PrivateKey));
  const Owned<OCSP_BASICRESP, OCSP_BASICRESP_free> basic(OCSP_BASICRESP_new());
  const Owned<OCSP_CERTID, OCSP_CERTID_free> id(OCSP_cert_to_id(EVP_sha1(), own.get(), authority.get()));
  const Owned<ASN1_TIME, ASN1_TIME_free> from(X509_gmtime_adj(nullptr, -60));
  const Owned<ASN1_TIME, ASN1_TIME_free> until(X509_gmtime_adj(nullptr, after));
  OCSP_basic_add1_status(basic.get(), id.get(), V_OCSP_CERTSTATUS_GOOD, 0, nullptr, from.get(), until.get());
  OCSP_basic_sign(basic.get(), authority.get(), key.get(), EVP_sha256(), nullptr, 0);
  const Owned<OCSP_RESPONSE, OCSP_RESPONSE_free> response(
      OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic.get()));
  unsigned char* bytes = nullptr;
  const int size = i2d_OCSP_RESPONSE(response.get(), &bytes);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return out;
}

/// A folder with responses, and a listener with good.pem and good.der, and rsa.pem and rsa.der.
class Ocsp : public testing::Test {
 protected:
  Ocsp() { std::filesystem::create_directory(path("")); }
  ~Ocsp() override { std::filesystem::remove_all(path("")); }

  std::string path(const std::string& name) const { return folder.path() + ".d/" + name; }
  /// Asks openssl ocsp about `certificate`, "V" for valid or "R" for revoked, with `options` such as "-ndays 2".
  std::string ask(const std::string& certificate, const std::string& status, const std::string& options) const {
    const auto ended = status == "R" ? "250101000000Z" : "";
    std::ofstream(path("index")) << status << "\t991231235959Z\t" << ended << '\t' << serial_of(certificate)
                                 << "\tunknown\t/CN=x\n";
    const auto authority = tls_file("ca.pem");
    run_openssl("ocsp -no_nonce -issuer " + authority + " -cert " + tls_file(certificate) + " -reqout " + path("q"));
    run_openssl("ocsp -index " + path("index") + " -CA " + authority + " -rsigner " + authority + " -rkey " +
                tls_file("ca.key") + " -reqin " + path("q") + " -respout " + path("answer") + ' ' + options);
    std::ifstream answer(path("answer"), std::ios::binary);
    return {std::istreambuf_iterator<char>(answer), {}};
  }
  /// Replaces it at once.
  void put(const std::string& name, const std::string& content) const {
    std::ofstream(path(name + ".new"), std::ios::binary) << content;
    std::filesystem::rename(path(name + ".new"), path(name));
  }
  void start() {
    const auto pair = [this](const std::string& name) {
      return Json{
          {"certificate", tls_file(name + ".pem")}, {"key", tls_file(name + ".key")}, {"ocsp", path(name + ".der")}};
    };
    start(Json::array({pair("good"), pair("rsa")}));
  }
  void start(const Json& tls) {
    proxy = std::make_unique<Proxy>(
        Json{{"listen", {{"address", "127.0.0.1:0"}, {"tls", tls}}}, {"admin", {{"listen", "127.0.0.1:0"}}}});
    says("started: ");
  }
  std::string told(const std::string& options, const std::string& name = "localhost") const {
    return run_openssl("s_client -status -connect 127.0.0.1:" + std::to_string(proxy->gateway.port()) + " -CAfile " +
                       tls_file("ca.pem") + " -servername " + name + ' ' + options);
  }
  bool says(const std::string& event) const {
    return proxy->gateway.process().wait_for_err([&](const std::string& err) { return has(err, event); });
  }
  /// New connections of "localhost" come to be told `part`.
  bool comes_to_tell(const std::string& part) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!has(told("-tls1_3"), part)) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(Milliseconds(100));
    }
    return true;
  }

  TemporaryFile folder{"", "marker"};
  std::unique_ptr<Proxy> proxy;
};

TEST_F(Ocsp, ResponsesAreSentWithTheCertificateOfEachName) {
  put("good.der", ask("good.pem", "V", "-ndays 2"));
  put("rsa.der", ask("rsa.pem", "R", "-nmin 90"));
  start();
  for (const char* version : kBothVersions) {
    const auto good = told(version);
    EXPECT_TRUE(has(good, "OCSP Response Status: successful")) << good;
    EXPECT_TRUE(has(good, "Cert Status: good")) << good;
    EXPECT_TRUE(has(good, "Serial Number: " + serial_of("good.pem"))) << good;
    const auto rsa = told(version, "rsa.example");
    EXPECT_TRUE(has(rsa, "Cert Status: revoked")) << rsa;
    EXPECT_TRUE(has(rsa, "Serial Number: " + serial_of("rsa.pem"))) << rsa;
    // Of two certificates for one name, the response is of the one that the client can use.
    const auto by_kind = told(std::string(version) + " -sigalgs RSA-PSS+SHA256", "a.example");
    EXPECT_TRUE(has(by_kind, "Serial Number: " + serial_of("rsa.pem"))) << by_kind;
  }
  EXPECT_EQ(proxy->client().get("/").status(), 200) << "a client that does not ask";
  const Look look(proxy->gateway.process());
  EXPECT_TRUE(has(look.text(), "headgate_certificate_ocsp_expiry_timestamp_seconds{file=\"" + path("good.der")));
}

TEST_F(Ocsp, ResponsesThatAreReplacedAreUsedByNewConnections) {
  put("good.der", ask("good.pem", "V", "-ndays 2"));
  put("rsa.der", ask("rsa.pem", "V", "-ndays 2"));
  start();
  EXPECT_TRUE(has(told("-tls1_3"), "Cert Status: good"));
  put("good.der", ask("good.pem", "R", "-ndays 2"));
  EXPECT_TRUE(comes_to_tell("Cert Status: revoked")) << proxy->gateway.process().err();
  EXPECT_TRUE(says("certificate_read"));
  EXPECT_TRUE(has(told("-tls1_3", "rsa.example"), "Cert Status: good"));
}

TEST_F(Ocsp, ABadFileChangesNothing) {
  put("good.der", ask("good.pem", "V", "-ndays 2"));
  put("rsa.der", ask("rsa.pem", "V", "-ndays 2"));
  start();
  put("good.der", ask("rsa.pem", "V", "-ndays 2"));
  EXPECT_TRUE(says("ocsp_refused"));
  EXPECT_TRUE(proxy->gateway.process().says("is for another certificate")) << proxy->gateway.process().err();
  EXPECT_FALSE(has(proxy->gateway.process().err(), "certificate_read"));
  EXPECT_TRUE(has(told("-tls1_2"), "Serial Number: " + serial_of("good.pem")));
  put("good.der", "");
  EXPECT_TRUE(says("holds no OCSP response in DER"));
  std::filesystem::remove(path("good.der"));
  EXPECT_TRUE(says("cannot be read: No such file")) << proxy->gateway.process().err();
  EXPECT_TRUE(has(told("-tls1_3"), "Cert Status: good"));
  const Look look(proxy->gateway.process());
  EXPECT_TRUE(look.comes_to([](const auto& metrics) {  // a file that is being written may be one more
    return metrics.value(R"(headgate_certificate_reads_total{result="refused"})") >= 3;
  })) << look.text();
  EXPECT_TRUE(has(look.text(), R"(headgate_certificate_reads_total{result="applied"} 0)")) << look.text();
}

TEST_F(Ocsp, AResponseThatBecomesStaleIsNotSentAnyMore) {
  put("rsa.der", ask("rsa.pem", "V", "-ndays 2"));
  put("good.der", response_for(8));
  start();
  EXPECT_TRUE(has(told("-tls1_3"), "Cert Status: good"));
  EXPECT_TRUE(says("ocsp_stale")) << proxy->gateway.process().err();
  for (const char* version : kBothVersions) EXPECT_TRUE(has(told(version), kNone));
  EXPECT_TRUE(has(told("-tls1_2", "rsa.example"), "Cert Status: good")) << "the other certificate's is fresh";
  const auto err = proxy->gateway.process().err();
  EXPECT_EQ(err.find("ocsp_stale"), err.rfind("ocsp_stale")) << "it is told once";
  put("good.der", ask("good.pem", "V", "-ndays 2"));
  EXPECT_TRUE(comes_to_tell("Cert Status: good"));
}

TEST_F(Ocsp, AStaleResponseAtTheStartIsNotSent) {
  std::filesystem::copy_file(tls_file("ended.staple"), path("good.der"));
  put("rsa.der", ask("rsa.pem", "V", "-ndays 2"));
  start();
  EXPECT_TRUE(says("ocsp_stale"));
  for (const char* version : kBothVersions) EXPECT_TRUE(has(told(version), kNone));
}

TEST_F(Ocsp, AResponseOfTheLastCertificateDoesNotHoldUpTheNextOne) {
  const auto copy = [this](const std::string& from, const std::string& to) {
    std::filesystem::copy_file(tls_file(from), path(to), std::filesystem::copy_options::overwrite_existing);
  };
  copy("good.pem", "a.pem");
  copy("good.key", "a.key");
  copy("good.staple", "a.der");
  start({{"certificate", path("a.pem")}, {"key", path("a.key")}, {"ocsp", path("a.der")}});
  EXPECT_TRUE(has(told("-tls1_3"), "Cert Status: good"));
  copy("rsa.pem", "a.pem");
  copy("rsa.key", "a.key");
  EXPECT_TRUE(comes_to_tell("subject=CN = rsa")) << proxy->gateway.process().err();
  EXPECT_TRUE(has(told("-tls1_3"), kNone));
  EXPECT_TRUE(says("the certificate is sent without an OCSP response"));
  copy("rsa.staple", "a.der");
  EXPECT_TRUE(comes_to_tell("Serial Number: " + serial_of("rsa.pem"))) << proxy->gateway.process().err();
}

/// Between the renewal of a certificate and that of its response the gateway may be started, or read its file anew.
TEST_F(Ocsp, AResponseOfAnotherCertificateStopsNoStartAndAReloadKeepsTheGoodOne) {
  const auto copy = [this](const std::string& from) {
    std::filesystem::copy_file(tls_file(from), path("a.der"), std::filesystem::copy_options::overwrite_existing);
  };
  copy("rsa.staple");
  start({{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}, {"ocsp", path("a.der")}});
  EXPECT_TRUE(says("is for another certificate")) << proxy->gateway.process().err();
  EXPECT_TRUE(has(told("-tls1_3"), kNone));
  copy("good.staple");
  EXPECT_TRUE(comes_to_tell("Cert Status: good")) << proxy->gateway.process().err();
  copy("rsa.staple");
  proxy->gateway.process().signal(SIGHUP);
  EXPECT_TRUE(says("config_reloaded")) << proxy->gateway.process().err();
  EXPECT_TRUE(has(told("-tls1_3"), "Cert Status: good")) << proxy->gateway.process().err();
}

TEST_F(Ocsp, AReloadReadsTheFileThatItNames) {
  FakeUpstream upstream;
  Json tls = {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}};
  const auto config = [&] {
    return config_for(upstream, {{"listen", {{"address", "127.0.0.1:0"}, {"tls", tls}}}}).dump();
  };
  TemporaryFile file(config());
  Gateway gateway(Words{"run", "-c", file.path()});
  const auto said = [&] {
    return run_openssl("s_client -status -connect 127.0.0.1:" + std::to_string(gateway.port()));
  };
  const auto reload = [&](const std::string& response, const std::string& result) {
    tls["ocsp"] = tls_file(response);
    std::ofstream(file.path()) << config();
    gateway.process().signal(SIGHUP);
    return gateway.process().wait_for_err([&](const std::string& err) { return has(err, result); });
  };
  EXPECT_TRUE(has(said(), kNone));
  EXPECT_TRUE(reload("good.staple", "config_reloaded")) << gateway.process().err();
  EXPECT_TRUE(has(said(), "Cert Status: good"));
  EXPECT_TRUE(reload("forged.staple", "is signed neither by the issuer")) << gateway.process().err();
  EXPECT_TRUE(has(said(), "Cert Status: good"));
}

}  // namespace
}  // namespace headgate::test
