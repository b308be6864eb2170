#pragma once
// Public keys of EdDSA, looked at as points: OpenSSL takes any bytes for one and only fails later.

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
  sound,
  off_curve,    ///< no point, or not its one encoding
  small_order,  ///< one of the few whose multiples repeat at once: under it signatures can be guessed
};

/// What the encoded point is: y with its least byte first, and in the highest bit of the last byte the sign of x.
EdwardsPoint judge_point(const EdwardsCurve& curve, std::span<const unsigned char> encoded);

}  // namespace headgate::identity
