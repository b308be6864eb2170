#pragma once
// Assumptions about callers that arrivals do not contain: claims of a token, the owner of an API key, a user, header
// fields. Used by cli.

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

/// One assumption about each request.
struct Assumption {
  enum class What : std::uint8_t { claim, key_owner, key_tier, key_group, user, field, tls };
  /// Whether the value is the same for all arrivals, or each arrival has its own under a name.
  enum class From : std::uint8_t { text, arrival };

  What what = What::claim;
  std::string name;  ///< name of the claim, the group or the field
  From from = From::text;
  std::string value;  ///< the value itself, or its name in the arrival

  std::string sentence() const;  ///< returns "each request has the claim plan: free"
};

/// Parses "jwt.plan=free", "api_key.owner=acme", "api_key.tier=pro", "group:team=search", "basic.user=ann",
/// "header:X-Tenant=acme" or "tls";
/// `from` tells the meaning of the text after '='.
Result<Assumption, TextFault> parse_assumption(std::string_view text, Assumption::From from);

/// Arrivals with assumptions added. One thread.
class AssumedArrivals final : public engine::Arrivals {
 public:
  /// Returns the value that the last arrival has under the name of this assumption; only called for assumptions with
  /// From::arrival.
  using Value = std::function<std::string_view(std::size_t assumption)>;

  /// An owner with a key in `known` gets the properties of that key. All arguments must outlive this object.
  AssumedArrivals(engine::Arrivals& from, const std::vector<Assumption>& assumptions, Value value,
                  const identity::ApiKeys& known);
  ~AssumedArrivals() override;
  const engine::RequestArrival* next() override;

 private:
  struct StoredValues;
  void assume_claims();
  void assume_key();
  void assume_groups(identity::ApiKeyRecord& record) const;
  void assume_user();
  void assume_fields();
  std::string_view text_of(std::size_t assumption) const;

  engine::Arrivals& from_;
  const std::vector<Assumption>& assumptions_;
  Value value_;
  const identity::ApiKeys& known_;
  std::unique_ptr<StoredValues> kept_;
  std::vector<http::Field> fields_;
  std::string text_;
  engine::RequestArrival arrival_;
};

}  // namespace headgate::simulate
