#pragma once
// The part of an accepted TLS connection that OpenSSL's callbacks use: chooses its certificate, binds its tickets, and
// counts the client's actions whose number is limited.

#include "headgate/net/tls/secured.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct ssl_st;
struct ssl_ctx_st;

namespace headgate::net {

class ServerTls;

/// A member of the channel of its connection, which must not move.
struct AcceptedTls {
  const ServerTls* shared = nullptr;                       ///< null if this side is the client
  const std::vector<std::size_t>* certificates = nullptr;  ///< certificates for the name that the client asked for
  std::uint32_t updates = 0;                               ///< key updates in the current second
  std::uint32_t second = 0;
  bool secured = false;
  bool stapled = false;      ///< OpenSSL has a copy of an OCSP response
  std::string_view offence;  ///< a forbidden action of the client, for which it is disconnected; empty if there is none

  /// Makes `ssl` call the functions below. Call it once, before the handshake.
  void attach(ssl_st* ssl, const ServerTls& server);
  /// Frees memory that only the handshake needs. Call it once, after the handshake.
  void drop_staple(ssl_st* ssl);
  /// Returns the facts that are known after the handshake.
  static Secured result(ssl_st* ssl);

  /// Sets the callbacks of a context.
  static void set_callbacks(ssl_ctx_st* context);
  static int greeted(ssl_st* ssl, int* alert, void*);  ///< the client's first message has arrived
  static int choose_certificate(ssl_st* ssl, void*);
  static int choose_protocol(ssl_st* ssl, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                             unsigned in_size, void*);
  static int staple(ssl_st* ssl, void*);  ///< a client asks for the OCSP response of the chosen certificate
  static void happened(const ssl_st* ssl, int where, int what);
};

}  // namespace headgate::net
