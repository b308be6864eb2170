#pragma once
// Rules of compression: which answers may be compressed, for which clients, and with which fields.

#include "headgate/compress/encoder.hpp"
#include "headgate/gateway/compression.hpp"
#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <optional>

namespace headgate::gateway {

/// Returns the route's coding that the client prefers; empty if the client accepts none of them or prefers the
/// uncompressed answer. A client without Accept-Encoding gets no coding: such a client accepts all codings (RFC 9110
/// section 12.5.3), but may not know any.
std::optional<compress::Coding> coding_for_client(Exchange& x, const Compression& compression);

/// Returns whether the answer with the fields x.fields may be compressed for clients that accept compression. Type,
/// status and size decide, and fields that forbid a change of the bytes. For a partial answer (206), the question is
/// whether the whole answer may be compressed; the part itself never is. `size` is the size of the whole body in bytes;
/// empty if it is unknown.
bool may_vary(const Exchange& x, const Compression& compression, unsigned status, std::optional<std::uint64_t> size);

/// Returns whether this field depends on the exact bytes of the body, like a digest.
bool is_made_over_bytes(const http::Field& field);

/// Changes x.fields to describe an answer that is compressed with `coding`.
void mark_compressed(Exchange& x, compress::Coding coding);

/// Makes the tag of a 304 weak if the client may have a compressed answer, whose tag was made weak as well. Otherwise a
/// cache would not refresh its stored answer (RFC 9111 section 4.3.4). The answer may have been compressed if the
/// client sent a weak tag or if its type is compressed here. `size` is the size of the stored answer in bytes; empty if
/// it is unknown.
void mark_not_modified(Exchange& x, const Compression& compression, std::optional<std::uint64_t> size);

}  // namespace headgate::gateway
