#pragma once
// What arrivals do not tell of their callers, and is assumed: claims of a token, the owner of an API key, a user,
// header fields.

#include "headgate/core/result.hpp"
#include "headgate/engine/simulation.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/simulate/text_fault.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::simulate {

/// One thing that is assumed of each request.
struct Assumption {
  enum class What : std::uint8_t { claim, key_owner, key_tier, user, field, tls };
  /// Whether it is the same for all, or what each arrival has under a name.
  enum class From : std::uint8_t { text, arrival };

  What what = What::claim;
  std::string name;  ///< of the claim or the field
  From from = From::text;
  std::string value;  ///< the text, or the name

  std::string sentence() const;  ///< "each request has the claim plan: free"
};

/// "jwt.plan=free", "api_key.owner=acme", "api_key.tier=pro", "basic.user=ann", "header:X-Tenant=acme"; `from` says
/// what stands behind the '='. And "tls".
Result<Assumption, TextFault> parse_assumption(std::string_view text, Assumption::From from);

/// Arrivals with what is assumed of them. One thread.
class AssumedArrivals final : public engine::Arrivals {
 public:
  /// What the arrival that came last has under the name of this assumption; of such from an arrival only.
  using Value = std::function<std::string_view(std::size_t assumption)>;

  /// An owner whose key is one of `known` has what that key has. All arguments live as long as this.
  AssumedArrivals(engine::Arrivals& from, const std::vector<Assumption>& assumptions, Value value,
                  const identity::ApiKeys& known);
  ~AssumedArrivals() override;
  const engine::RequestArrival* next() override;

 private:
  struct Kept;
  void assume_claims();
  void assume_key();
  void assume_user();
  void assume_fields();
  std::string_view text_of(std::size_t assumption) const;

  engine::Arrivals& from_;
  const std::vector<Assumption>& assumptions_;
  Value value_;
  const identity::ApiKeys& known_;
  std::unique_ptr<Kept> kept_;
  std::vector<http::Field> fields_;
  std::string text_;
  engine::RequestArrival arrival_;
};

}  // namespace headgate::simulate
