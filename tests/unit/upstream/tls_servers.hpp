#pragma once
// An upstream whose servers use TLS. Their side is OpenSSL on a thread that waits.

#include "support/certificates.hpp"
#include "unit/upstream/servers.hpp"

#include <openssl/ssl.h>

#include <csignal>
#include <future>
#include <utility>

namespace headgate::upstream::test {

/// The server's side of one connection. Its functions wait, so call them with TlsServers::meanwhile().
class TlsFar {
 public:
  TlsFar(SSL_CTX* context, net::Socket socket) : socket_(std::move(socket)), ssl_(SSL_new(context), SSL_free) {
    socket_.native_non_blocking(false);
    SSL_set_fd(ssl_.get(), socket_.native_handle());
  }
  bool accept() { return SSL_accept(ssl_.get()) == 1; }
  bool say(std::string_view bytes) {
    return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
  }
  bool send_ticket() { return SSL_new_session_ticket(ssl_.get()) == 1 && SSL_do_handshake(ssl_.get()) == 1; }
  bool change_key() {
    return SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl_.get()) == 1;
  }
  /// Whether the client says, after what it has sent, that no more follows.
  bool hears_end() {
    std::array<char, 1000> rest;
    while (SSL_read(ssl_.get(), rest.data(), rest.size()) > 0) {
    }
    return SSL_get_shutdown(ssl_.get()) == SSL_RECEIVED_SHUTDOWN;
  }
  void send_close_notify() { SSL_shutdown(ssl_.get()); }
  void close_without_notify() { socket_.shutdown(net::Socket::shutdown_send); }
  bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  std::string server_name() const {
    const char* const name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
    return name != nullptr ? name : "";
  }
  bool has_certificate() const { return SSL_get0_peer_certificate(ssl_.get()) != nullptr; }
  SSL* get() { return ssl_.get(); }

 private:
  net::Socket socket_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
};

class TlsServers : public Servers {
 protected:
  static void SetUpTestSuite() {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that the other side may have closed
    if (!headgate::test::Certificates::possible()) return;
    files = new headgate::test::Certificates;
    files->make("server", "DNS:localhost,IP:127.0.0.1");
    files->make("other", "DNS:other.example");
    files->make("gateway", "DNS:gateway");
  }
  static void TearDownTestSuite() { delete std::exchange(files, nullptr); }

  void SetUp() override {
    if (files == nullptr) GTEST_SKIP() << "no openssl on this machine";
    use_certificate("server");
    tls_.ca = files->path("ca.crt");
  }
  void TearDown() override { far_sides_.clear(); }

  /// Of the servers, from the next connection on.
  void use_certificate(const std::string& name) { use_certificate(*files, name); }
  void use_certificate(const headgate::test::Certificates& from, const std::string& name) {
    server_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate_chain_file(server_.get(), from.path(name + ".crt").c_str());
    SSL_CTX_use_PrivateKey_file(server_.get(), from.path(name + ".key").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_set_session_id_context(server_.get(), reinterpret_cast<const unsigned char*>("t"), 1);
  }

  /// From clients, from the next connection on.
  void demand_certificate() {
    SSL_CTX_load_verify_file(server_.get(), files->path("ca.crt").c_str());
    SSL_CTX_set_verify(server_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }

  void begin_tls(std::size_t servers = 1) {
    options_.tls = tls_;
    options_.connect_timeout = seconds(5);
    counters_ = observe::upstream_handshake_counters(registry_, 0, "app");
    begin(servers, 64, {*net::TlsContext::of_client(tls_), counters_});
  }
  auto counted(observe::ServerHandshake how) const { return counters_[static_cast<std::size_t>(how)]->read(); }

  /// Runs `work` on a thread, and the loop meanwhile.
  template <class Work>
  auto meanwhile(Work work) {
    auto done = std::async(std::launch::async, std::move(work));
    const auto until = std::chrono::steady_clock::now() + seconds(10);
    while (done.wait_for(seconds(0)) != std::future_status::ready && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(milliseconds(5));
    }
    return done.get();
  }

  /// An upstream of its own with the same servers, in place of the first. Its pools and sessions are new.
  void begin_anew() {
    upstream_ = std::make_unique<ServerGroup>(
        clock_, options_,
        h1_dialler({loop_, timers_, blocks_, clock_, random_}, TlsUse{*net::TlsContext::of_client(tls_), counters_}));
  }

  /// What connecting gives; if it gives a connection, tls_far() is its far end. `accepts`: the server takes part.
  Result<AttemptPtr, Failure> try_to_connect(bool accepts = true) {
    std::optional<Result<AttemptPtr, Failure>> out;
    spawn(put_connected(out), "test");
    net::Socket socket(loop_.get_executor());
    auto accepted = std::async(std::launch::async, [&] {
      acceptors_[0].accept(socket);
      auto far = std::make_unique<TlsFar>(server_.get(), std::move(socket));
      if (accepts) far->accept();
      return far;
    });
    const auto until = std::chrono::steady_clock::now() + seconds(10);
    while (!out && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(milliseconds(5));
    }
    far_sides_.push_back(meanwhile([&] { return accepted.get(); }));
    EXPECT_TRUE(out) << "it still waits";
    return std::move(*out);
  }
  AttemptPtr connect_tls() {
    auto connected = try_to_connect();
    EXPECT_TRUE(connected.has_value()) << (connected ? "" : connected.error().detail);
    return connected ? *connected : nullptr;
  }
  TlsFar& tls_far() { return *far_sides_.back(); }

  Result<void, Failure> exchange_tls(Attempt& attempt, TlsFar& far, std::string_view answer = kAnswer) {
    EXPECT_TRUE(send(attempt).has_value());
    EXPECT_TRUE(far.say(answer));
    auto head = run(attempt.read_head(head_, seconds(10)));
    if (head.has_value()) (void)attempt.body().ready();
    return head;
  }
  /// Lets the loop see what has come.
  void look_around() {
    loop_.restart();
    loop_.run_for(milliseconds(50));
  }

  static inline headgate::test::Certificates* files = nullptr;
  net::TlsOptions tls_;
  observe::Registry registry_;
  observe::UpstreamHandshakeCounters counters_{};
  std::vector<std::unique_ptr<TlsFar>> far_sides_;

 private:
  struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  Task<void> put_connected(std::optional<Result<AttemptPtr, Failure>>& out) {
    out.emplace(co_await upstream_->connect(choice_));
  }

  std::unique_ptr<SSL_CTX, FreeContext> server_;
};

}  // namespace headgate::upstream::test
