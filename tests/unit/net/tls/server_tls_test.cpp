// The server's side of TLS against a client of OpenSSL, without a socket between them.
#include "headgate/net/tls/server_tls.hpp"

#include "../../../../src/net/tls/tls_channel.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <vector>

namespace headgate::net {
namespace {

std::string tls_file(const std::string& name) {
  std::ifstream file(std::string(HEADGATE_SOURCE_DIR) + "/tests/unit/config/beside/tls/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct FreeClient {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
};

/// One connection: both sides, and the bytes between them.
class Both {
 public:
  Both(const ServerTls& server, SSL_CTX* client) : server_(server), client_(SSL_new(client)) {
    SSL_set_bio(client_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(client_.get());
  }
  SSL* client() { return client_.get(); }
  TlsChannel& server() { return server_; }

  /// Whether both sides are done.
  bool shake_hands() {
    for (int i = 0; i < 10 && !(client_done_ && server_done_); ++i) {
      if (!client_done_) client_done_ = SSL_do_handshake(client_.get()) == 1;
      const auto bytes = from_client();
      server_.feed(bytes);
      const auto step = server_.handshake();
      server_.keep();
      server_done_ = step == TlsChannel::Step::done;
      to_client();
      if (step == TlsChannel::Step::failed) break;
    }
    ERR_clear_error();
    return client_done_ && server_done_ && talk();
  }
  /// Moves what the client has written to the server, which reads it; and back.
  TlsChannel::Step serve(std::string* text = nullptr) {
    const auto bytes = from_client();
    server_.feed(bytes);
    std::array<char, 1000> into;
    auto step = TlsChannel::Step::done;
    while (step == TlsChannel::Step::done) {
      std::size_t got = 0;
      step = server_.open(into, got);
      if (step == TlsChannel::Step::done && text != nullptr) text->append(into.data(), got);
    }
    server_.keep();
    to_client();
    return step;
  }
  std::string alert() const { return alert_; }

 private:
  /// A byte each way: the client takes its ticket with it.
  bool talk() {
    std::string text;
    if (SSL_write(client_.get(), "?", 1) != 1 || serve(&text) == TlsChannel::Step::failed || text != "?") return false;
    if (!server_.seal("!")) return false;
    to_client();
    char byte = 0;
    return SSL_read(client_.get(), &byte, 1) == 1 && byte == '!';
  }
  std::string from_client() {
    std::string out(1UL << 20, '\0');
    const int got = BIO_read(SSL_get_wbio(client_.get()), out.data(), static_cast<int>(out.size()));
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return out;
  }
  void to_client() {
    auto& bytes = server_.to_send();
    // An alert in clear: type 21, version, length 2, level, description.
    if (bytes.size() == 7 && bytes[0] == 21) alert_ = SSL_alert_desc_string_long(static_cast<unsigned char>(bytes[6]));
    BIO_write(SSL_get_rbio(client_.get()), bytes.data(), static_cast<int>(bytes.size()));
    bytes.clear();
  }

  TlsChannel server_;
  std::unique_ptr<SSL, FreeClient> client_;
  bool client_done_ = false;
  bool server_done_ = false;
  std::string alert_;
};

class ServerTlsTest : public testing::Test {
 protected:
  static constexpr const char* kSecret = "a secret of thirty-two bytes or more";

  ServerTlsTest() {
    options.certificates = {{"good.pem", "good.key"}, {"rsa.pem", "rsa.key"}, {"other.pem", "good.key"}};
    options.ticket_secret = kSecret;
    SSL_CTX_set_session_cache_mode(client.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  }
  ServerTlsPtr make() {
    ServerTlsTexts texts;
    for (const auto& each : options.certificates)
      texts.pairs.push_back({tls_file(each.certificate), tls_file(each.key), staple});
    if (!options.client_ca.empty()) texts.client_ca = tls_file(options.client_ca);
    auto made = ServerTls::make(library, options, texts);
    EXPECT_TRUE(made.has_value()) << made.error();
    return made.has_value() ? *made : nullptr;
  }
  std::unique_ptr<Both> connect(const ServerTlsPtr& server, const char* name = "a.example",
                                SSL_SESSION* session = nullptr) {
    auto both = std::make_unique<Both>(*server, client.get());
    if (name != nullptr) SSL_set_tlsext_host_name(both->client(), name);
    if (session != nullptr) SSL_set_session(both->client(), session);
    shaken = both->shake_hands();
    return both;
  }
  /// The common name of the certificate that a client gets.
  std::string subject_for(const ServerTlsPtr& server, const char* name) {
    const auto both = connect(server, name);
    if (!shaken) return "none";
    std::array<char, 64> text{};
    X509* const certificate = SSL_get0_peer_certificate(both->client());
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text.data(), text.size());
    return text.data();
  }
  using Session = std::unique_ptr<SSL_SESSION, FreeClient>;
  Session session_of(const ServerTlsPtr& server, const char* name = "a.example") {
    const auto both = connect(server, name);
    EXPECT_TRUE(shaken);
    SSL_set_shutdown(both->client(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    return Session(SSL_get1_session(both->client()));
  }
  bool resumes(const ServerTlsPtr& server, const Session& session, const char* name = "a.example") {
    const auto both = connect(server, name, session.get());
    EXPECT_TRUE(shaken);
    return SSL_session_reused(both->client()) == 1;
  }
  void version(int only) {
    SSL_CTX_set_min_proto_version(client.get(), only);
    SSL_CTX_set_max_proto_version(client.get(), only);
  }
  /// What is spoken with a client that offers these protocols, each behind its length; else the alert that it gets.
  std::string chosen_of(std::string_view protocols) {
    SSL_CTX_set_alpn_protos(client.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                            static_cast<unsigned>(protocols.size()));
    const auto server = make();
    const auto both = connect(server);
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(both->client(), &chosen, &size);
    return shaken ? std::string(reinterpret_cast<const char*>(chosen), size) : both->alert();
  }
  void show_certificate() {
    const auto folder = std::string(HEADGATE_SOURCE_DIR) + "/tests/unit/config/beside/tls/";
    SSL_CTX_use_certificate_chain_file(client.get(), (folder + "good.pem").c_str());
    SSL_CTX_use_PrivateKey_file(client.get(), (folder + "good.key").c_str(), SSL_FILETYPE_PEM);
  }

  TlsLibrary library;
  Staple staple;
  ServerTlsOptions options;
  std::unique_ptr<SSL_CTX, FreeClient> client{SSL_CTX_new(TLS_client_method())};
  bool shaken = false;
};

TEST_F(ServerTlsTest, SendsAFreshOcspResponseToAClientThatAsks) {
  const auto stapled = [&](int begins, int ends) {  // in hours; how much a client gets
    staple = {"said", headgate::now() + std::chrono::hours(begins), headgate::now() + std::chrono::hours(ends)};
    const unsigned char* bytes = nullptr;
    const auto both = connect(make());
    return shaken ? SSL_get_tlsext_status_ocsp_resp(both->client(), &bytes) : 0;
  };
  EXPECT_EQ(stapled(-1, 1), -1) << "nobody asked";
  SSL_CTX_set_tlsext_status_type(client.get(), TLSEXT_STATUSTYPE_ocsp);
  EXPECT_EQ(stapled(-1, 1), 4);
  for (const auto& [begins, ends] : {std::pair(-2, -1), {1, 2}}) EXPECT_EQ(stapled(begins, ends), -1);
}

TEST_F(ServerTlsTest, ChoosesTheCertificateByName) {
  const auto server = make();
  SSL_CTX_set1_sigalgs_list(client.get(), "ECDSA+SHA256:RSA-PSS+SHA256");
  EXPECT_EQ(subject_for(server, "a.example"), "good");
  EXPECT_EQ(subject_for(server, "A.Example"), "good");
  EXPECT_EQ(subject_for(server, "x.wild.example"), "good");
  EXPECT_EQ(subject_for(server, "rsa.example"), "rsa");
  EXPECT_EQ(subject_for(server, "b.example."), "other");
  EXPECT_EQ(subject_for(server, "unknown.example"), "good");
  EXPECT_EQ(subject_for(server, nullptr), "good");
}

TEST_F(ServerTlsTest, GivesAClientTheKindOfKeyThatItKnows) {
  const auto server = make();
  SSL_CTX_set1_sigalgs_list(client.get(), "RSA-PSS+SHA256");
  EXPECT_EQ(subject_for(server, "a.example"), "rsa") << "the name is in both";
  EXPECT_EQ(subject_for(server, "b.example"), "none");
}

TEST_F(ServerTlsTest, SpeaksNothingOlderThanItsOldestVersion) {
  auto server = make();
  SSL_CTX_set_security_level(client.get(), 0);
  for (const int old : {TLS1_VERSION, TLS1_1_VERSION}) {
    version(old);
    const auto both = connect(server);
    EXPECT_FALSE(shaken);
    EXPECT_EQ(both->alert(), "protocol version");
  }
  version(TLS1_2_VERSION);
  connect(server);
  EXPECT_TRUE(shaken);
  options.oldest = TlsVersion::tls_1_3;
  server = make();
  connect(server);
  EXPECT_FALSE(shaken);
  version(TLS1_3_VERSION);
  connect(server);
  EXPECT_TRUE(shaken);
}

TEST_F(ServerTlsTest, TakesOnlyCiphersWithForwardSecrecyAndAead) {
  const auto server = make();
  version(TLS1_2_VERSION);
  SSL_CTX_set_security_level(client.get(), 0);
  for (const char* weak : {"AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384",
                           "DHE-RSA-AES128-GCM-SHA256", "PSK", "AES128-SHA"}) {
    if (SSL_CTX_set_cipher_list(client.get(), weak) != 1) continue;
    const auto both = connect(server);
    EXPECT_FALSE(shaken) << weak;
  }
  for (const char* strong : {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
                             "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-AES128-GCM-SHA256"}) {
    SSL_CTX_set_cipher_list(client.get(), strong);
    const auto both = connect(server);
    EXPECT_TRUE(shaken) << strong;
    EXPECT_EQ(SSL_get_current_compression(both->client()), nullptr);
  }
}

TEST_F(ServerTlsTest, SpeaksOnlyWhatItsListenerSaysTheBestFirst) {
  for (const char* offer : {"\x08http/1.1", "\x02h2\x08http/1.1"}) EXPECT_EQ(chosen_of(offer), "http/1.1");
  EXPECT_EQ(chosen_of("\x08http/1.0"), "http/1.0");
  for (const char* other : {"\x02h2", "\x05other"}) EXPECT_EQ(chosen_of(other), "no application protocol");
  options.protocols = {"h2", "http/1.1"};
  EXPECT_EQ(chosen_of("\x08http/1.1\x02h2"), "h2");
  EXPECT_EQ(chosen_of("\x08http/1.0"), "no application protocol");
}

TEST_F(ServerTlsTest, ResumesASessionWithItsOneTicket) {
  const auto server = make();
  for (const int each : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    version(each);
    static int tickets;
    tickets = 0;
    SSL_CTX_sess_set_new_cb(client.get(), [](SSL*, SSL_SESSION*) { return ++tickets, 0; });
    const auto session = session_of(server);
    EXPECT_EQ(tickets, 1);
    EXPECT_TRUE(resumes(server, session)) << each;
    EXPECT_EQ(SSL_SESSION_get_max_early_data(session.get()), 0U) << "early data can be replayed";
    EXPECT_LE(SSL_SESSION_get_ticket_lifetime_hint(session.get()), 3600U);
  }
}

TEST_F(ServerTlsTest, ResumesSessionsOfAnotherGatewayWithTheSameSecret) {
  const auto session = session_of(make());
  EXPECT_TRUE(resumes(make(), session));
  options.ticket_secret += "!";
  EXPECT_FALSE(resumes(make(), session));
}

TEST_F(ServerTlsTest, ResumesASessionForItsOwnNameOnly) {
  const auto server = make();
  for (const int each : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    version(each);
    const auto session = session_of(server, "a.example");
    EXPECT_TRUE(resumes(server, session, "A.EXAMPLE"));
    EXPECT_FALSE(resumes(server, session, "b.example")) << each;
    EXPECT_FALSE(resumes(server, session, nullptr)) << each;
  }
}

// CVE-2025-23419: a ticket of a server that asks for no certificates let clients into one that does.
TEST_F(ServerTlsTest, BindsTicketsToTheAuthoritiesOfClients) {
  const auto open = make();
  options.client_ca = "ca.pem";
  const auto guarded = make();
  options.client_ca = "good.pem";
  const auto guarded_by_others = make();
  for (const int each : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    version(each);
    const auto anonymous = session_of(open);
    EXPECT_FALSE(resumes(guarded, anonymous)) << each;
    const auto without = session_of(guarded);
    EXPECT_TRUE(resumes(guarded, without)) << each;
    EXPECT_FALSE(resumes(guarded_by_others, without)) << each;
  }
  show_certificate();
  for (const int each : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    version(each);
    const auto shown = session_of(guarded);
    const auto both = connect(guarded, "a.example", shown.get());
    EXPECT_EQ(SSL_session_reused(both->client()), 1) << each;
    const auto secured = AcceptedTls::result(both->server().get());
    EXPECT_TRUE(secured.resumed);
    ASSERT_NE(secured.certificate, nullptr) << "it comes with the session";
    EXPECT_EQ(secured.certificate->subject, "CN=good");
    EXPECT_FALSE(resumes(guarded_by_others, shown)) << each;
    EXPECT_FALSE(resumes(open, shown)) << each;
  }
}

TEST_F(ServerTlsTest, ReadsWhoTheClientIs) {
  options.client_ca = "ca.pem";
  const auto server = make();
  EXPECT_EQ(AcceptedTls::result(connect(server)->server().get()).certificate, nullptr) << "the route decides";
  show_certificate();
  const auto both = connect(server);
  ASSERT_TRUE(shaken);
  const auto secured = AcceptedTls::result(both->server().get());
  ASSERT_NE(secured.certificate, nullptr);
  EXPECT_EQ(secured.certificate->subject, "CN=good");
  EXPECT_EQ(secured.certificate->names, "DNS:a.example,DNS:*.wild.example,DNS:localhost,DNS:test.example");
  EXPECT_EQ(secured.certificate->sha256.size(), 64U);
  EXPECT_EQ(secured.version, "1.3");
  EXPECT_FALSE(secured.resumed);
}

TEST_F(ServerTlsTest, EndsTheHandshakeForACertificateOfAnotherAuthority) {
  options.client_ca = "nameless.pem";  // which signed nothing
  show_certificate();
  version(TLS1_2_VERSION);
  const auto both = connect(make());
  EXPECT_FALSE(shaken);
  EXPECT_TRUE(both->server().distrusted());
}

TEST_F(ServerTlsTest, DisconnectsAClientThatAsksForAnotherHandshake) {
  version(TLS1_2_VERSION);
  const auto both = connect(make());
  ASSERT_TRUE(shaken);
  SSL_renegotiate(both->client());
  SSL_do_handshake(both->client());
  EXPECT_EQ(both->serve(), TlsChannel::Step::failed);
  EXPECT_EQ(both->server().reason(), "the client asked for another handshake");
}

TEST_F(ServerTlsTest, LetsAClientUpdateItsKeysNowAndThen) {
  const auto both = connect(make());
  ASSERT_TRUE(shaken);
  const auto update = [&] {
    SSL_key_update(both->client(), SSL_KEY_UPDATE_REQUESTED);
    SSL_do_handshake(both->client());
    const auto step = both->serve();
    char byte = 0;
    SSL_read(both->client(), &byte, 1);  // takes the answer
    return step;
  };
  for (int i = 0; i < 50; ++i) ASSERT_NE(update(), TlsChannel::Step::failed) << i;
  // More than a hundred in one second, whenever that began: all are there before the first is read.
  for (int i = 0; i < 202; ++i)
    ASSERT_TRUE(SSL_key_update(both->client(), SSL_KEY_UPDATE_REQUESTED) && SSL_do_handshake(both->client()) == 1);
  EXPECT_EQ(both->serve(), TlsChannel::Step::failed);
  EXPECT_EQ(both->server().reason(), "the client updates its keys too often");
}

TEST_F(ServerTlsTest, DisconnectsAClientThatUpdatesItsKeysTooOften) {
  const auto both = connect(make());
  ASSERT_TRUE(shaken);
  for (int i = 0; i < 1000; ++i) {
    SSL_key_update(both->client(), SSL_KEY_UPDATE_REQUESTED);
    ASSERT_EQ(SSL_do_handshake(both->client()), 1);
  }
  EXPECT_EQ(both->serve(), TlsChannel::Step::failed);
  EXPECT_EQ(both->server().reason(), "the client updates its keys too often");
  constexpr std::size_t kAnswer = 30;
  EXPECT_LE(BIO_pending(SSL_get_rbio(both->client())), 250 * kAnswer) << "not one for each, although all came at once";
}

TEST_F(ServerTlsTest, NamesTheFileThatCannotBeUsed) {
  options.certificates = {{"good.pem", "rsa.key"}};
  ServerTlsTexts texts;
  texts.pairs.push_back({tls_file("good.pem"), tls_file("rsa.key")});
  const auto made = ServerTls::make(library, options, texts);
  ASSERT_TRUE(made.has_error());
  EXPECT_EQ(made.error(), "rsa.key: does not belong to the certificate");
}

}  // namespace
}  // namespace headgate::net
