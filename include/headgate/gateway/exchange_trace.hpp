#pragma once
// What an exchange knows of the trace that it belongs to. Only with `tracing` in the configuration.

#include "headgate/core/clock.hpp"
#include "headgate/observe/trace_context.hpp"

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// How exchanges become parts of traces. config fills it.
struct Tracing {
  std::uint64_t sample_below = 0;  ///< the share of traces that is recorded, as observe::in_share() takes it
  bool parent_based = true;        ///< what the caller says of its own span counts before the share
  bool records = false;            ///< spans of sampled traces are sent somewhere; else only ids are passed on
  bool client_address = true;      ///< spans have it, because the access log has it
  bool operator==(const Tracing&) const = default;
};

/// Worker thread only; lives as long as its exchange.
struct ExchangeTrace {
  static constexpr std::size_t kMaxAttempts = 8;  ///< that have spans of their own; later ones have none

  /// One attempt at a server.
  struct Attempt {
    std::uint64_t span = 0;
    Clock::Steady begun;
    Clock::Steady ended;  ///< the epoch: not yet
    unsigned status = 0;  ///< of its answer; 0: there was none
    std::string_view server{};
    std::string_view failure{};  ///< one word of ours: why there was no answer, or no whole one
  };

  observe::TraceContext context;     ///< `parent` is the caller's span, if `begun_here` is false
  observe::TraceParent traceparent;  ///< as servers get it
  std::string_view state;            ///< the caller's `tracestate`; a view of the request, of several fields the first
  std::uint64_t span = 0;            ///< of this exchange; 0: it is not recorded
  bool begun_here = false;           ///< no caller said which trace it belongs to
  bool keeps_state = false;          ///< the caller's `tracestate` is valid and passed on
  boost::container::static_vector<Attempt, kMaxAttempts> attempts;

  std::string_view id() const noexcept { return observe::trace_of(traceparent); }
  bool recorded() const noexcept { return span != 0; }
};

}  // namespace headgate::gateway
