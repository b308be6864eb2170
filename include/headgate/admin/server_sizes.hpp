#pragma once
// Weights and bounds of requests in flight that an operator gives servers at run time, in place of the configured ones.

#include "headgate/gateway/upstream_options.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// The values that one server should get. An empty value keeps the current one; 0 restores the configured one.
struct WantedSize {
  std::optional<std::uint32_t> weight;         ///< Weight from 1 to balance::kMaxWeight, or 0.
  std::optional<std::uint32_t> max_in_flight;  ///< Bound of the server; set only if the configuration has a bound.
};

/// The values that an operator gave one server, for the process that replaces this one.
struct SetSize {
  std::string upstream;
  std::string server;
  std::uint32_t weight = 0;         ///< Weight that was set; 0 for the configured value.
  std::uint32_t max_in_flight = 0;  ///< Bound that was set; 0 for the configured value.
  std::uint32_t written_weight = 1;
  std::uint32_t written_max_in_flight = 0;
};

/// The values of all servers. One thread. Values survive reloads, until a reload changes the configuration of the same
/// server, or removes it.
class ServerSizes {
 public:
  using Upstreams = std::vector<gateway::UpstreamOptions>;

  /// Sets values of a server. `upstreams` are the upstreams in use. Call apply() afterwards.
  void set(const Upstreams& upstreams, const std::string& upstream, const std::string& server, const WantedSize& size);
  /// Forgets values of servers whose configuration changed in `written`, and returns the names of these servers.
  std::vector<std::pair<std::string, std::string>> keep(const Upstreams& written);
  /// Changes the options of all servers that have values here.
  void apply(Upstreams& upstreams) const;
  /// Returns all values that are set.
  std::vector<SetSize> list() const;
  /// Takes over the values of another process, unless that process had another configuration of the server than
  /// `written`. Returns why the values were not taken over, as a sentence without its full stop; "" if they were.
  std::string restore(const Upstreams& written, const SetSize& size);
  bool empty() const noexcept { return sizes_.empty(); }
  bool has(std::string_view upstream, std::string_view server) const;

 private:
  struct Size {
    std::uint32_t weight = 0;  ///< Weight that was set; 0 for the configured value.
    std::uint32_t max_in_flight = 0;
    std::uint32_t written_weight = 1;
    std::uint32_t written_max_in_flight = 0;
  };
  std::map<std::pair<std::string, std::string>, Size> sizes_;  ///< Values by upstream and server.
};

}  // namespace headgate::admin
