#pragma once
// What an operator gives servers at run time: another weight, or another bound of requests in flight, than the
// configuration says.

#include "headgate/gateway/upstream_options.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// What one server shall have. Not set: what it has now. 0: what the configuration says.
struct WantedSize {
  std::optional<std::uint32_t> weight;         ///< 1 to balance::kMaxWeight, or 0
  std::optional<std::uint32_t> max_in_flight;  ///< only where the configuration has a bound
};

/// What one server has from an operator, for the process that takes the place of this one.
struct SetSize {
  std::string upstream;
  std::string server;
  std::uint32_t weight = 0;         ///< 0: as the configuration says
  std::uint32_t max_in_flight = 0;  ///< 0: as the configuration says
  std::uint32_t written_weight = 1;
  std::uint32_t written_max_in_flight = 0;
};

/// One thread. It lasts over reloads, until one changes what the configuration says of the same server, or removes it.
class ServerSizes {
 public:
  using Upstreams = std::vector<gateway::UpstreamOptions>;

  /// `upstreams` are those in use. Changes what it has of this server; use apply() then.
  void set(const Upstreams& upstreams, const std::string& upstream, const std::string& server, const WantedSize& size);
  /// Forgets what these upstreams, as they are written, have changed; returns the names of those servers.
  std::vector<std::pair<std::string, std::string>> keep(const Upstreams& written);
  /// Changes the options of the servers that have something else.
  void apply(Upstreams& upstreams) const;
  /// All that is set.
  std::vector<SetSize> list() const;
  /// Takes over what another process had, unless these upstreams say something else of the server than that one's did.
  /// Returns why not, in a sentence without its dot; "" if it is taken over.
  std::string restore(const Upstreams& written, const SetSize& size);
  bool empty() const noexcept { return sizes_.empty(); }
  bool has(std::string_view upstream, std::string_view server) const;

 private:
  struct Size {
    std::uint32_t weight = 0;  ///< as in WantedSize, 0: as written
    std::uint32_t max_in_flight = 0;
    std::uint32_t written_weight = 1;
    std::uint32_t written_max_in_flight = 0;
  };
  std::map<std::pair<std::string, std::string>, Size> sizes_;  ///< by upstream and server
};

}  // namespace headgate::admin
