#pragma once
// One attack on one proxy, and what it did to it.

#include "security/h2/attacks.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::bench {

/// A proxy that can be attacked.
struct Target {
  std::string name;
  std::string version;
  /// Its file at 127.0.0.1:`port`, and the command that starts it with that.
  std::string (*file)(const std::string& folder, std::uint16_t port, std::uint16_t upstream_port);
  std::vector<std::string> (*command)(const std::string& program, const std::string& folder, const std::string& file);
  std::string program;
};

/// headgate first, then those of nginx, HAProxy and nghttpx that are installed.
std::vector<Target> targets(const std::string& headgate);

/// Of the proxy, in one turn.
struct Suffered {
  double cpu = 0;     ///< nanoseconds, above that of the bystander's requests, for each of the attacker's bytes
  double memory = 0;  ///< bytes, how far the resident set grew
  double p99 = 0;     ///< seconds, of the bystander
  double lost = 0;    ///< the bystander's requests without an answer
  double bytes = 0;   ///< that the attacker sent
  double connections = 0;
  bool died = false;
};

struct Turn {
  std::string directory;  ///< for files; exists
  std::uint16_t upstream_port;
  std::chrono::milliseconds length;
  double cpu_of_request = 0;  ///< nanoseconds, of the bystander's
};

/// Starts the proxy on a core of its own and attacks it. Throws std::runtime_error where it does not start.
Suffered attack(const Target& target, const test::h2::Attack& what, const Turn& turn);

/// What a request of the bystander costs it in nanoseconds while nobody attacks; its p99 is in `quiet`.
double cpu_of_request(const Target& target, const Turn& turn, Suffered& quiet);

}  // namespace headgate::bench
