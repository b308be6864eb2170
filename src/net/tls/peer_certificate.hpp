#pragma once
// Reads who a client is from the certificate that it has proved to have.

#include "headgate/net/tls/secured.hpp"

struct x509_st;

namespace headgate::net {

PeerCertificate read_peer(x509_st* certificate);

}  // namespace headgate::net
