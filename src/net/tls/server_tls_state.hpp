#pragma once
// The content of ServerTls.

#include "openssl.hpp"
#include "server_names.hpp"
#include "ticket_keys.hpp"

#include "headgate/net/tls/server_tls.hpp"

#include <array>
#include <string>
#include <vector>

namespace headgate::net {

struct ServerTls::State {
  struct Pair {
    openssl::Certificate certificate;
    openssl::PrivateKey key;
    openssl::Stack chain;  // what follows the certificate; null: nothing
    Staple staple;
  };
  State(ossl_lib_ctx_st* made_in, std::string ticket_secret)
      : library(made_in), tickets(made_in, std::move(ticket_secret)) {}

  ossl_lib_ctx_st* library;
  std::vector<Pair> pairs;
  ServerNames names{{}};
  std::array<unsigned char, 32> clients{};  // SHA-256 of the authorities of clients; zeros: none are asked for
  std::string protocols;                    // of ALPN, each behind its length
  TicketKeys tickets;
  // Fetched once: to find an algorithm by its name takes longer than to use it.
  std::unique_ptr<EVP_CIPHER, FreedBy<EVP_CIPHER_free>> ticket_cipher;
  std::unique_ptr<EVP_MD, FreedBy<EVP_MD_free>> digest;
  openssl::Context context;  // last: it refers to the others
};

}  // namespace headgate::net
