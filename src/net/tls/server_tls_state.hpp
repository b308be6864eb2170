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
    openssl::Stack chain;  // the certificates above this one in the chain; null if there are none
    Staple staple;
  };
  State(ossl_lib_ctx_st* made_in, std::string ticket_secret)
      : library(made_in), tickets(made_in, std::move(ticket_secret)) {}

  ossl_lib_ctx_st* library;
  std::vector<Pair> pairs;
  ServerNames names{{}};
  std::array<unsigned char, 32> clients{};  // SHA-256 of the client authorities; zeros if clients are not asked
  std::string protocols;                    // for ALPN, each preceded by its length
  TicketKeys tickets;
  // Fetched once, because it takes longer to find an algorithm by name than to use it.
  std::unique_ptr<EVP_CIPHER, FreedBy<EVP_CIPHER_free>> ticket_cipher;
  std::unique_ptr<EVP_MD, FreedBy<EVP_MD_free>> digest;
  openssl::Context context;  // the last member, because it refers to the other members
};

}  // namespace headgate::net
