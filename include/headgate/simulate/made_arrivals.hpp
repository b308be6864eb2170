#pragma once
// Invented arrivals, described in a line such as "poisson 100/s for 10m, burst 2000 at 5m, 3 tenants zipf". Used by
// cli.

#include "headgate/core/literals.hpp"
#include "headgate/core/random.hpp"
#include "headgate/core/result.hpp"
#include "headgate/engine/simulation.hpp"
#include "headgate/simulate/text_fault.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::simulate {

/// The parsed line.
struct ArrivalPattern {
  enum class Kind : std::uint8_t { steady, poisson, burst };
  struct Stream {
    Kind kind = Kind::steady;
    Rate rate;                ///< rate of the arrivals; not used by a burst
    std::uint64_t count = 0;  ///< number of requests of a burst
    Duration begin{0};
    Duration length{0};  ///< length of the stream; not used by a burst
  };
  static constexpr std::size_t kMaxStreams = 100;
  static constexpr std::uint64_t kMaxTenants = 100'000;
  static constexpr std::uint64_t kMaxBurst = 100'000'000;

  std::vector<Stream> streams;
  std::uint64_t tenants = 1;
  /// true if the n-th tenant sends one n-th of the requests of the first; false if all send equally many
  bool zipf = false;
  std::string method = "GET";
  std::string path = "/";
};

/// Parses clauses separated by commas: "steady RATE for TIME", "poisson RATE for TIME", "burst N", each with an
/// optional "at TIME"; "N tenants", with "even" or "zipf"; "path PATH", "method METHOD". Without "at", a stream begins
/// at the end of the previous stream, and a burst at the start of the run.
Result<ArrivalPattern, TextFault> parse_arrivals(std::string_view text);

/// The arrivals of a pattern, the same for the same seed. They begin on 2026-01-05, a Monday, at midnight UTC. Each
/// tenant has its own address in 198.18.0.0/15. One thread.
class MadeArrivals final : public engine::Arrivals {
 public:
  MadeArrivals(const ArrivalPattern& pattern, std::uint64_t seed);
  const engine::RequestArrival* next() override;
  /// Returns the tenant of the last arrival ("tenant-1" is the most frequent one) if `name` is "tenant"; otherwise "".
  /// Valid until the next call.
  std::string_view value_of(std::string_view name) const noexcept {
    return name == "tenant" ? std::string_view(tenant_) : std::string_view();
  }

 private:
  struct Source {
    ArrivalPattern::Stream stream;
    double at = 0;  ///< time of the next arrival, in microseconds since the start of the stream
    std::uint64_t made = 0;
    bool over = false;
    Duration due() const noexcept;
  };
  void advance(Source& source);
  std::uint64_t draw_tenant();

  ArrivalPattern pattern_;
  Random random_;
  std::vector<Source> sources_;
  std::vector<double> shares_;  ///< cumulative shares of the tenants
  std::string tenant_;
  engine::RequestArrival arrival_;
};

}  // namespace headgate::simulate
