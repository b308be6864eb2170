#pragma once
// The trace that an exchange belongs to. Set only if the configuration has `tracing`.

#include "headgate/core/clock.hpp"
#include "headgate/observe/trace_context.hpp"

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// How exchanges become parts of traces. config fills it.
struct Tracing {
  std::uint64_t sample_below = 0;  ///< the share of traces that is recorded, as a bound for observe::in_share()
  bool parent_based = true;        ///< whether the sampling decision of the caller takes precedence over the share
  bool records = false;            ///< whether spans of sampled traces are exported; otherwise only ids are passed on
  bool client_address = true;      ///< whether spans contain the client's address, as the access log does
  bool operator==(const Tracing&) const = default;
};

/// The trace of one exchange. Worker thread only; lives as long as the exchange.
struct ExchangeTrace {
  static constexpr std::size_t kMaxAttempts = 8;  ///< largest number of attempts that get spans of their own

  /// One attempt at a server.
  struct Attempt {
    std::uint64_t span = 0;
    Clock::Steady begun;
    Clock::Steady ended;  ///< the epoch while the attempt goes on
    unsigned status = 0;  ///< the status of the answer; 0 if there was none
    std::string_view server{};
    std::string_view failure{};  ///< the reason why there was no complete answer, as one of headgate's words
  };

  observe::TraceContext context;     ///< `parent` is the caller's span, if `begun_here` is false
  observe::TraceParent traceparent;  ///< the header that servers get
  std::string_view state;    ///< a view of the caller's `tracestate`; of the first field if the request has several
  std::uint64_t span = 0;    ///< the id of this exchange's span; 0 if it is not recorded
  bool begun_here = false;   ///< whether no caller named the trace
  bool keeps_state = false;  ///< whether the caller's `tracestate` is valid and passed on
  boost::container::static_vector<Attempt, kMaxAttempts> attempts;

  std::string_view id() const noexcept { return observe::trace_of(traceparent); }
  bool recorded() const noexcept { return span != 0; }
};

}  // namespace headgate::gateway
