#pragma once
// What is known of the owner of an API key, as text for fields.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// Of the known key of the request; "" if it has none, or if that has no such part. Tags as a list, "batch, beta". A
/// view into x.text or the snapshot.
std::string_view key_part(Exchange& x, identity::KeyPart part);

}  // namespace headgate::gateway
