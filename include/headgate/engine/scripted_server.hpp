#pragma once
// Servers without sockets: what each answers to a request, and when, is known before.

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

/// What a server answers to one request, however often that is sent.
struct ScriptedAnswer {
  unsigned status = 200;
  std::uint64_t bytes = 0;                ///< of its body, all of which come with the head
  Duration after{0};                      ///< when the head comes, after the request was sent
  std::span<const http::Field> fields{};  ///< live as long as the exchange
};

/// Which answer belongs to which exchange. A server knows of an exchange where it says that its client is gone
/// (balance::Choice::over), so this is its name here. One thread.
class Scripts {
 public:
  /// `answer` may change from one exchange to the next, and lives as long as this.
  void add(const bool& over, const ScriptedAnswer& answer) { answers_[&over] = &answer; }
  /// That of an exchange which nobody has added, a copy for a mirror for one: 200 without a body, at once.
  const ScriptedAnswer& of(const balance::Choice& choice) const;

 private:
  boost::unordered_flat_map<const bool*, const ScriptedAnswer*> answers_;
};

/// All servers of an upstream as one that can always be reached. Of its options, the places at its servers and the load
/// shedding have effect; it is never ejected, and its circuit stays closed. One thread; `scripts` outlives it.
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
  std::optional<balance::Places> places_;  ///< not set: its servers may have any number of requests
  std::optional<shed::Concurrency> concurrency_;
  shed::Overload overload_;
};

}  // namespace headgate::engine
