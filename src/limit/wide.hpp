#pragma once
// Integers of 128 bits, for products that do not fit into 64. GCC and Clang have them; the standard does not.

namespace headgate::limit {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

}  // namespace headgate::limit
