#pragma once
// Checks the points of EdDSA public keys. OpenSSL accepts any bytes as a key and fails only later.

#include <span>

namespace headgate::identity {

/// A twisted Edwards curve a x^2 + y^2 = 1 + d x^2 y^2 over the integers modulo p (RFC 8032 section 5).
struct EdwardsCurve {
  const char* p;  ///< hexadecimal
  const char* d;  ///< hexadecimal, modulo p
  int a;
};
extern const EdwardsCurve kEd25519;
extern const EdwardsCurve kEd448;

enum class EdwardsPoint {
  valid,
  off_curve,    ///< the bytes are not a point of the curve, or not the only valid encoding of one
  small_order,  ///< one of the few points with very few multiples, for which signatures can be guessed
};

/// Classifies an encoded point: y in little-endian order, with the sign of x in the highest bit of the last byte.
EdwardsPoint judge_point(const EdwardsCurve& curve, std::span<const unsigned char> encoded);

}  // namespace headgate::identity
