#pragma once
// Reads the identity of a client from its verified certificate.

#include "headgate/net/tls/secured.hpp"

struct x509_st;

namespace headgate::net {

PeerCertificate read_peer(x509_st* certificate);

}  // namespace headgate::net
