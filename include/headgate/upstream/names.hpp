#pragma once
// Keeps the addresses of servers' names current in the background, so that a worker never waits for a slow resolver.
// Used by server.

#include "headgate/core/clock.hpp"
#include "headgate/net/look_up.hpp"
#include "headgate/upstream/addresses.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::upstream {

/// The name of a server and its resolve interval.
struct ServerName {
  std::string host;
  std::uint16_t port = 80;
  Duration every{};
};

/// The names that are kept current. One thread.
class Names {
 public:
  /// Resolves a name, and calls `found` once: after LookUp has returned, and not after the loop has ended.
  using LookUp = std::function<void(const std::string& host, std::uint16_t port, net::LookedUp found)>;
  /// Called when the addresses of a name become known or change.
  using Changed = std::function<void(const NamedAddresses& now)>;

  /// `clock` outlives this object.
  Names(Clock& clock, LookUp look_up, Changed changed);
  ~Names();
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  /// Sets the names to resolve; hosts that are addresses are skipped. A name that is listed more than once is resolved
  /// at the shortest interval. Results for names that stay are kept. New names are resolved at once.
  void use(const std::vector<ServerName>& names);
  /// Returns the addresses of a name; empty until the first result.
  std::vector<net::Tcp::endpoint> of(const std::string& host, std::uint16_t port) const;
  /// Returns all names with known addresses.
  std::vector<NamedAddresses> known() const;
  /// Returns the names whose last resolution failed, with the reason: a sentence without a full stop.
  std::vector<std::pair<std::string, std::string>> failing() const;
  void stop() { names_.clear(); }

 private:
  struct Name;
  void ask(Name& name);
  void answered(Name& name, const Result<std::vector<net::Tcp::endpoint>>& found);

  Clock& clock_;
  LookUp look_up_;
  Changed changed_;
  std::vector<std::shared_ptr<Name>> names_;
};

}  // namespace headgate::upstream
