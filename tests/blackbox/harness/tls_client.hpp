#pragma once
// TLS of a test's connection: the client's side, on a socket that does not block.

#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;
struct ssl_session_st;

namespace headgate::test {

/// The folder of certificates that tests use, "…/good.pem".
std::string tls_file(const std::string& name);

/// What a client offers.
struct TlsOffer {
  std::string name = "localhost";  ///< asked for; empty: none
  std::string certificate{};       ///< PEM file of its own, in tls_file()'s folder; empty: none
  std::string key{};
  std::string protocols{};                    ///< of ALPN, each behind its length; empty: not told
  int version = 0;                            ///< only this one, TLS1_2_VERSION; 0: any
  std::shared_ptr<ssl_session_st> session{};  ///< to resume
};

/// One connection. The certificate of the server must be signed by tls_file("ca.pem").
class TlsClient {
 public:
  TlsClient(int fd, const TlsOffer& offer);

  enum class Step { done, wants_read, wants_write, ended, failed };
  Step shake_hands();
  Step write(std::string_view bytes, std::size_t& written);
  Step read(char* into, std::size_t most, std::size_t& got);
  void send_end();

  bool resumed() const;
  std::string version() const;                     ///< "TLSv1.3"
  std::string server() const;                      ///< the common name of the server's certificate
  const std::string& why() const { return why_; }  ///< why it failed
  /// To resume later. Has the ticket once something was read.
  std::shared_ptr<ssl_session_st> session() const;

 private:
  Step after(int result);
  std::shared_ptr<ssl_ctx_st> context_;
  std::shared_ptr<ssl_st> ssl_;
  std::string why_;
};

}  // namespace headgate::test
