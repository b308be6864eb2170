#pragma once
// The state that the TLS connections of one listener share on one worker: certificates, ticket keys, rules. Workers
// share nothing with each other, so no lock of OpenSSL is ever contended. Used by server and session.

#include "headgate/core/result.hpp"
#include "headgate/net/tls/server_tls_options.hpp"
#include "headgate/net/tls/staple.hpp"

#include <memory>
#include <string>
#include <vector>

struct ossl_lib_ctx_st;
struct ssl_ctx_st;

namespace headgate::net {

/// The contents of all files that the TLS of a listener needs, read at one moment.
struct ServerTlsTexts {
  struct Pair {
    std::string certificate;
    std::string key;
    Staple staple{};  ///< stapled response; empty if none is sent
  };
  std::vector<Pair> pairs;  ///< texts of each certificate, in the order of ServerTlsOptions::certificates
  std::string client_ca;    ///< text of ServerTlsOptions::client_ca; empty if clients are not asked for certificates
};

/// The OpenSSL library context of one worker. Created and destroyed on one thread while the worker does not run, and
/// outlives all objects made with it. That thread may also create contexts in it while the worker runs.
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

/// The TLS of one listener: TLS 1.2 and 1.3 with forward secrecy and AEAD ciphers only; no renegotiation, no
/// compression, no early data; one session ticket per handshake. Used by one worker; connections keep it alive.
class ServerTls {
 public:
  using Made = Result<std::shared_ptr<const ServerTls>, std::string>;

  /// Creates the TLS of a listener. Takes about 2 ms for each certificate. The error is a sentence without a full stop.
  static Made make(TlsLibrary& library, const ServerTlsOptions& options, const ServerTlsTexts& texts);
  ~ServerTls();
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  /// Returns whether clients are asked for certificates.
  bool asks_clients() const noexcept;

  struct State;  // for net only
  const State& state() const noexcept { return *state_; }

 private:
  explicit ServerTls(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

using ServerTlsPtr = std::shared_ptr<const ServerTls>;

}  // namespace headgate::net
