#pragma once
// The choice of certificates for the server name that a client asks for.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::net {

/// Returns a host name in the form used for comparison: in lower case, without a trailing dot. Empty if it is longer
/// than a name can be (RFC 1035 section 2.3.4).
std::string normal_name(std::string_view name);

/// The index of certificates by name. Immutable; any thread.
class ServerNames {
 public:
  /// `names` has the names of each certificate, as in CertificateFacts::names. If several certificates have the same
  /// name, all of them are used for it.
  explicit ServerNames(const std::vector<std::vector<std::string>>& names);

  /// Returns the indexes of the certificates for a normalised `name`. An exact name comes before a wildcard, which
  /// stands for one label (RFC 6125 section 6.4.3). Without a match, returns the first certificate and those for its
  /// names.
  const std::vector<std::size_t>& find(std::string_view name) const noexcept;

 private:
  using Entry = std::pair<std::string, std::vector<std::size_t>>;
  const std::vector<std::size_t>* exactly(std::string_view name) const noexcept;

  std::vector<Entry> entries_;  // sorted by name; a wildcard without its "*"
  std::vector<std::size_t> usual_;
};

}  // namespace headgate::net
