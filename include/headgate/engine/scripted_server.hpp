#pragma once
// Servers without sockets, whose answers and delays are known in advance. Used by simulation.

#include "headgate/core/clock.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/shed/concurrency.hpp"
#include "headgate/upstream/options.hpp"
#include "headgate/upstream/upstream.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace headgate::engine {

/// The answer of a server to a request, no matter how often the request is sent.
struct ScriptedAnswer {
  unsigned status = 200;
  std::uint64_t bytes = 0;                ///< bytes of its body, which arrive together with the head
  Duration after{0};                      ///< time from the sent request to the head
  std::span<const http::Field> fields{};  ///< must live as long as the exchange
  std::string_view text{};                ///< the body, of that length; empty for zeros; lives as long as `fields`
};

/// The map from exchanges to answers. A server knows an exchange only by the flag that tells whether its client has
/// left (balance::Choice::over), so the flag identifies it here. One thread.
class Scripts {
 public:
  /// Adds an answer. `answer` may change from one exchange to the next, and must live as long as this object.
  void add(const bool& over, const ScriptedAnswer& answer) { answers_[&over] = &answer; }
  /// Returns the answer for an exchange; 200 without a body, at once, for an exchange that was not added, such as a
  /// mirrored request.
  const ScriptedAnswer& of(const balance::Choice& choice) const;

 private:
  boost::unordered_flat_map<const bool*, const ScriptedAnswer*> answers_;
};

/// All servers of an upstream as a single one that can always be reached. Only two of its options have an effect: the
/// places at its servers, and load shedding. It is never ejected, and its circuit stays closed. One thread; `scripts`
/// outlives it.
class ScriptedUpstream final : public upstream::Upstream {
 public:
  ScriptedUpstream(Clock& clock, const upstream::ServerGroupOptions& options, const Scripts& scripts);

  const std::string& name() const noexcept override { return name_; }
  upstream::AttemptPtr take_idle(balance::Choice& choice) noexcept override;
  Task<Result<upstream::AttemptPtr, upstream::Failure>> connect(balance::Choice& choice) override;
  bool reserve(balance::Choice& choice) override;
  upstream::PlaceUse place_use() const override;
  Duration time_for(std::size_t attempts) const override;
  void give_back(upstream::AttemptPtr /*attempt*/) override {}
  shed::Concurrency* concurrency() noexcept override { return concurrency_ ? &*concurrency_ : nullptr; }
  shed::Overload* overload() noexcept override { return &overload_; }
  void stop() override {}

 private:
  Clock& clock_;
  std::string name_;
  const Scripts& scripts_;
  /// places at the servers of the upstream; absent if they may have any number of requests
  std::optional<balance::Places> places_;
  std::optional<shed::Concurrency> concurrency_;
  shed::Overload overload_;
};

}  // namespace headgate::engine
