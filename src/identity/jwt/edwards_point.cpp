#include "edwards_point.hpp"

#include "openssl.hpp"

#include <initializer_list>
#include <vector>

namespace headgate::identity {

const EdwardsCurve kEd25519{"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
                            "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3", -1};
const EdwardsCurve kEd448{
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffffffffffffffffffffffffffffffffffffffffffffffff6756",
    1};

namespace {

BigNumberOwner from_hex(const char* text) {
  BIGNUM* raw = nullptr;
  BN_hex2bn(&raw, text);
  return BigNumberOwner(raw);
}

/// Arithmetic modulo p. It need be neither fast nor constant in time, because keys are public, and are parsed only with
/// a configuration or a JWK Set.
class Field {
 public:
  explicit Field(const char* p) : p_(from_hex(p)), context_(BN_CTX_new()) {}

  BigNumberOwner number(int value) const {
    BigNumberOwner out(BN_new());
    BN_set_word(out.get(), static_cast<BN_ULONG>(value < 0 ? -value : value));
    return value < 0 ? minus(BigNumberOwner(BN_new()), out) : std::move(out);
  }
  BigNumberOwner times(const BigNumberOwner& one, const BigNumberOwner& other) const {
    BigNumberOwner out(BN_new());
    BN_mod_mul(out.get(), one.get(), other.get(), p_.get(), context_.get());
    return out;
  }
  BigNumberOwner minus(const BigNumberOwner& one, const BigNumberOwner& other) const {
    BigNumberOwner out(BN_new());
    BN_mod_sub(out.get(), one.get(), other.get(), p_.get(), context_.get());
    return out;
  }
  bool is_square(const BigNumberOwner& number) const {
    return BN_kronecker(number.get(), p_.get(), context_.get()) >= 0;
  }
  bool holds(const BigNumberOwner& number) const { return BN_cmp(number.get(), p_.get()) < 0; }

 private:
  BigNumberOwner p_;
  BigNumberContext context_;
};

}  // namespace

EdwardsPoint judge_point(const EdwardsCurve& curve, std::span<const unsigned char> encoded) {
  if (encoded.empty()) return EdwardsPoint::off_curve;
  std::vector<unsigned char> bytes(encoded.begin(), encoded.end());
  bytes.back() &= 0x7f;
  const Field field(curve.p);
  const BigNumberOwner y(BN_lebin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  if (!field.holds(y)) return EdwardsPoint::off_curve;

  const auto one = field.number(1);
  const auto a = field.number(curve.a);
  const auto y2 = field.times(y, y);
  const auto dy2 = field.times(from_hex(curve.d), y2);
  // x^2 is the quotient above / below. A quotient is a square if and only if the product of numerator and denominator
  // is a square.
  const auto above = field.minus(one, y2);
  const auto below = field.minus(a, dy2);
  if (!field.is_square(field.times(above, below))) return EdwardsPoint::off_curve;

  // Points of order 1 and 2 have x = 0. Points of order 4 have y = 0. Points of order 8 have a x^2 = y^2, because twice
  // such a point has y = 0.
  const auto ax2 = field.times(a, above);
  const auto y2_below = field.times(y2, below);
  if (BN_is_zero(above.get()) || BN_is_zero(y.get()) || BN_cmp(ax2.get(), y2_below.get()) == 0) {
    return EdwardsPoint::small_order;
  }
  return EdwardsPoint::valid;
}

}  // namespace headgate::identity
