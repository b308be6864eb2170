#pragma once
// Keeps the addresses of servers' names current, in the background: a worker never waits for a resolver that is slow.

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

/// The name of a server, and how often it is looked up.
struct ServerName {
  std::string host;
  std::uint16_t port = 80;
  Duration every{};
};

/// One thread.
class Names {
 public:
  /// Looks one name up and calls what it gets once: later, and not if the loop ends before.
  using LookUp = std::function<void(const std::string& host, std::uint16_t port, net::LookedUp found)>;
  /// A name has other addresses than before, or its first ones.
  using Changed = std::function<void(const NamedAddresses& now)>;

  /// The clock outlives it.
  Names(Clock& clock, LookUp look_up, Changed changed);
  ~Names();
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  /// These names from now on; hosts that are addresses are left out. A name that is wanted more than once is looked up
  /// as often as the shortest `every` says. What is known of a name that stays is kept. New names are looked up at
  /// once.
  void use(const std::vector<ServerName>& names);
  /// The addresses of a name; empty while none was found.
  std::vector<net::Tcp::endpoint> of(const std::string& host, std::uint16_t port) const;
  /// Those that are known.
  std::vector<NamedAddresses> known() const;
  /// The names whose last look-up failed, and why: a sentence without its dot.
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
