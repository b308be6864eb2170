#pragma once
// What one accepted TLS connection does in OpenSSL's callbacks: chooses its certificate, binds its tickets, and counts
// what a client may do only so often.

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

/// A member of the channel of its connection, which stays where it is.
struct AcceptedTls {
  const ServerTls* shared = nullptr;                       ///< null: this side is a client
  const std::vector<std::size_t>* certificates = nullptr;  ///< for the name that the client asked for
  std::uint32_t updates = 0;                               ///< of keys, in this second
  std::uint32_t second = 0;
  bool secured = false;
  bool stapled = false;      ///< OpenSSL has a copy of an OCSP response
  std::string_view offence;  ///< what the client may not do; it is disconnected then

  /// Makes `ssl` call the functions below. Once, before the handshake.
  void attach(ssl_st* ssl, const ServerTls& server);
  /// Frees what only the handshake needs. Once, after it.
  void drop_staple(ssl_st* ssl);
  /// What is known after the handshake.
  static Secured result(ssl_st* ssl);

  /// Sets the callbacks of a context.
  static void set_callbacks(ssl_ctx_st* context);
  static int greeted(ssl_st* ssl, int* alert, void*);  ///< the client's first message has come
  static int choose_certificate(ssl_st* ssl, void*);
  static int choose_protocol(ssl_st* ssl, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                             unsigned in_size, void*);
  static int staple(ssl_st* ssl, void*);  ///< a client asks for the OCSP response of the chosen certificate
  static void happened(const ssl_st* ssl, int where, int what);
};

}  // namespace headgate::net
