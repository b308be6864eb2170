#pragma once
// Whether an answer may be compressed, for whom, and what its head says then.

#include "headgate/compress/encoder.hpp"
#include "headgate/gateway/compression.hpp"
#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <optional>

namespace headgate::gateway {

/// The coding that the client takes most gladly, of those of the route; nothing if it takes none, or is better off
/// without. RFC 9110 section 12.5.3: without the field a client would take any, but may know none.
std::optional<compress::Coding> coding_for_client(Exchange& x, const Compression& compression);

/// Whether the answer of which x.fields has the fields is one that is compressed for clients that take it, or a part of
/// such a one: its type, status and size, nothing that forbids it, and nothing that was made over its bytes. `size`: of
/// the whole body, in bytes; not set: not known. A part (206) is never compressed itself.
bool may_vary(const Exchange& x, const Compression& compression, unsigned status, std::optional<std::uint64_t> size);

/// Whether this field says something of the bytes of the answer, as digests do.
bool is_made_over_bytes(const http::Field& field);

/// Changes x.fields to those of the answer in `coding`.
void mark_compressed(Exchange& x, compress::Coding coding);

/// A 304 is about what the client has: if that was compressed here its tag was made weak, so this one is weak too.
/// Otherwise a cache would not refresh what it has (RFC 9111 section 4.3.4). Nothing is changed without a sign that the
/// answer may have been compressed: a weak tag of the client, or a type that is. `size`: of that answer.
void mark_not_modified(Exchange& x, const Compression& compression, std::optional<std::uint64_t> size);

}  // namespace headgate::gateway
