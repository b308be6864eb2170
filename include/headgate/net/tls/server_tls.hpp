#pragma once
// What the TLS connections of one listener share on one worker: certificates, keys of tickets, rules. A worker shares
// none of it with another one, so no lock of OpenSSL's is ever contended.

#include "headgate/core/result.hpp"
#include "headgate/net/tls/server_tls_options.hpp"
#include "headgate/net/tls/staple.hpp"

#include <memory>
#include <string>
#include <vector>

struct ossl_lib_ctx_st;
struct ssl_ctx_st;

namespace headgate::net {

/// The contents of all files that the TLS of a listener needs, as they were at one moment.
struct ServerTlsTexts {
  struct Pair {
    std::string certificate;
    std::string key;
    Staple staple{};  ///< empty: none is sent
  };
  std::vector<Pair> pairs;  ///< in the order of ServerTlsOptions::certificates
  std::string client_ca;    ///< empty: no certificates of clients are asked for
};

/// OpenSSL's library as one worker has it. Made and destroyed on one thread, when the worker does not run; it outlives
/// what was made with it. The thread that made it may also make contexts in it while the worker runs.
class TlsLibrary {
 public:
  TlsLibrary();  ///< throws std::bad_alloc
  ~TlsLibrary();
  TlsLibrary(const TlsLibrary&) = delete;
  TlsLibrary& operator=(const TlsLibrary&) = delete;
  ossl_lib_ctx_st* get() const noexcept { return library_; }

 private:
  ossl_lib_ctx_st* library_;
};

/// TLS 1.2 and 1.3 with forward secrecy and AEAD ciphers only; no renegotiation, no compression, no early data; one
/// session ticket for each handshake. Used by one worker; connections keep it alive.
class ServerTls {
 public:
  using Made = Result<std::shared_ptr<const ServerTls>, std::string>;

  /// Takes about 2 ms for each certificate. The error is a sentence without its dot.
  static Made make(TlsLibrary& library, const ServerTlsOptions& options, const ServerTlsTexts& texts);
  ~ServerTls();
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  /// Whether clients are asked for certificates.
  bool asks_clients() const noexcept;

  struct State;  // for net only
  const State& state() const noexcept { return *state_; }

 private:
  explicit ServerTls(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

using ServerTlsPtr = std::shared_ptr<const ServerTls>;

}  // namespace headgate::net
