#pragma once
// Which certificates a client gets for the name that it asks for.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::net {

/// A host name as it is compared: in lower case, without the dot at its end. Empty if it is longer than a name can be
/// (RFC 1035 section 2.3.4).
std::string normal_name(std::string_view name);

/// Immutable; any thread.
class ServerNames {
 public:
  /// The names of each certificate, as CertificateFacts::names. If several have a name, all of them are used for it.
  explicit ServerNames(const std::vector<std::vector<std::string>>& names);

  /// The certificates for `name`, which is normal, as their indexes. An exact name comes before a wildcard, which
  /// stands for one label (RFC 6125 section 6.4.3). Without a match: the first certificate, and those for its names.
  const std::vector<std::size_t>& find(std::string_view name) const noexcept;

 private:
  using Entry = std::pair<std::string, std::vector<std::size_t>>;
  const std::vector<std::size_t>* exactly(std::string_view name) const noexcept;

  std::vector<Entry> entries_;  // sorted by name; a wildcard without its "*"
  std::vector<std::size_t> usual_;
};

}  // namespace headgate::net
