#pragma once
// An upstream with scripted servers, on the virtual clock.

#include "unit/gateway/path/script.hpp"

#include "headgate/upstream/upstream.hpp"

#include <optional>
#include <utility>

namespace headgate::gateway::test {

using upstream::Failed;
using upstream::Failure;

/// The script of one attempt.
struct ServerScript {
  bool kept = false;  ///< whether its connection comes from the pool
  std::optional<Failure> unreachable;
  Duration connect_after{0};
  error_code takes_none;  ///< the error of sending the request
  Duration takes_after{0};
  std::vector<unsigned> interims;
  Duration head_after{0};         ///< when the head comes, after the request was sent
  std::optional<Failure> breaks;  ///< the failure instead of a head
  unsigned status = 200;
  http::Fields fields;
  http::Framing framing{http::Framing::Kind::length, 2};
  std::deque<Piece> body{{"ok", Duration(0), {}}};
};

/// What all attempts did.
struct ServerReport {
  std::vector<std::string> targets;
  std::string head;  ///< the head of the last request, one field on each line
  std::string body;
  std::vector<std::string> bodies;  ///< of each request
  std::vector<std::size_t>
      tried_before;    ///< for each attempt on a new connection, how many servers are not asked again
  bool whole = false;  ///< whether the body ended
  unsigned alive = 0;  ///< attempts under way
  unsigned cancelled = 0;
  unsigned given_back = 0;
  std::optional<std::uint64_t> key;  ///< of the last request
};

class ScriptedAttempt final : public upstream::Attempt {
 public:
  ScriptedAttempt(VirtualClock& clock, Trace& trace, ServerScript script, ServerReport& report, std::size_t at = 0)
      : clock_(clock),
        trace_(trace),
        script_(std::move(script)),
        report_(report),
        body_(clock, trace, "server-body"),
        at_(at) {
    ++report_.alive;
  }
  ~ScriptedAttempt() override { --report_.alive; }

  std::string_view server() const noexcept override { return "10.0.0.1:80"; }
  std::size_t at() const noexcept override { return at_; }

  Task<Result<void>> send(const upstream::RequestStart& start, std::string_view first, http::EndStream last) override {
    report_.targets.push_back(std::string(start.method) + " " + std::string(start.path) + std::string(start.query));
    report_.bodies.emplace_back();
    report_.head.clear();
    for (const auto& field : *start.fields)
      report_.head += std::string(field.name) + ": " + std::string(field.value) + "\n";
    trace_.note("send", report_.targets.back());
    between_bytes_ = start.between_bytes;
    Wait wait(clock_, script_.takes_after);
    if (script_.takes_after > Duration(0)) co_await wait;
    sent_at_ = clock_.passed();
    co_return take(first, last);
  }
  Task<Result<void>> write(std::string_view bytes, http::EndStream last) override {
    trace_.note("send-body");
    co_return take(bytes, last);
  }
  Task<Result<void>> finish(const http::Fields&) override {
    report_.whole = true;
    co_return Result<void>();
  }
  Task<Result<void, Failure>> read_head(http::ReplyHead& head, Duration timeout) override {
    trace_.note("head");
    if (!script_.interims.empty()) {
      head.status = script_.interims.front();
      head.fields.clear();
      script_.interims.erase(script_.interims.begin());
      co_return Result<void, Failure>();
    }
    const auto left = sent_at_ + script_.head_after - clock_.passed();
    Wait wait(clock_, std::min(left, timeout));
    waiting_ = &wait;
    auto ended = cancelled_ ? error_code(error::operation_aborted) : error_code();
    if (!ended) ended = co_await wait;
    waiting_ = nullptr;
    if (ended) co_return Failure{Failed::closed, ended, false, ""};
    if (left > timeout) co_return Failure{Failed::reply_timeout, error::timed_out, false, ""};
    if (script_.breaks) co_return *script_.breaks;
    head.status = script_.status;
    head.reason = {};
    head.fields = script_.fields;
    head.framing = script_.framing;
    body_.begin(script_.body, between_bytes_);
    co_return Result<void, Failure>();
  }
  http::BodyReader& body() noexcept override { return body_; }
  http::BodyReader& tunnel(Duration timeout) override {
    body_.timeout(timeout);
    return body_;
  }
  void cancel() noexcept override {
    ++report_.cancelled;
    cancelled_ = true;
    const upstream::AttemptPtr self(this);
    body_.cancel();
    if (waiting_) waiting_->end(error::operation_aborted);
  }

 private:
  Result<void> take(std::string_view bytes, http::EndStream last) {
    if (cancelled_) return error_code(error::operation_aborted);
    if (script_.takes_none) return script_.takes_none;
    report_.body += bytes;
    report_.bodies.back() += bytes;
    report_.whole = last == http::EndStream::yes;
    return {};
  }

  VirtualClock& clock_;
  Trace& trace_;
  ServerScript script_;
  ServerReport& report_;
  ScriptedBody body_;
  std::size_t at_;
  Duration sent_at_{0};
  Duration between_bytes_{0};
  Wait* waiting_ = nullptr;
  bool cancelled_ = false;
};

/// Each attempt uses the next script; the last script is for all further ones.
class ScriptedUpstream final : public upstream::Upstream {
 public:
  ScriptedUpstream(VirtualClock& clock, Trace& trace, std::string name = "app")
      : clock_(clock), trace_(trace), name_(std::move(name)) {}

  std::deque<ServerScript> scripts{{}};
  ServerReport report;

  const std::string& name() const noexcept override { return name_; }
  upstream::AttemptPtr take_idle(balance::Choice& choice) noexcept override {
    report.key = choice.key;
    if (!scripts.front().kept) return nullptr;
    trace_.lines.emplace_back("take idle");
    return begin();
  }
  Task<Result<upstream::AttemptPtr, Failure>> connect(balance::Choice& choice) override {
    trace_.note("connect");
    std::size_t tried = 0;
    for (std::size_t at = 0; at < 64; ++at) tried += choice.tried.has(at) ? 1 : 0;
    report.tried_before.push_back(tried);
    Wait wait(clock_, scripts.front().connect_after);
    co_await wait;
    if (scripts.front().unreachable) co_return *next().unreachable;
    co_return begin();
  }
  void give_back(upstream::AttemptPtr) override { ++report.given_back; }
  void stop() override {}
  shed::Concurrency* concurrency() noexcept override { return counted ? &*counted : nullptr; }
  balance::CircuitDoor* circuit() noexcept override { return door ? &*door : nullptr; }
  std::optional<shed::Concurrency> counted;
  balance::CircuitGate gate;
  std::optional<balance::CircuitDoor> door;  ///< not set: it has no circuit breaker
  /// A place is held until the relay is over.
  bool reserve(balance::Choice& choice) override {
    if (!places) return true;
    if (!places->take()) return false;
    choice.place = balance::Place(*places, 0, clock_.passed());
    return true;
  }
  upstream::PlaceUse place_use() const override {
    return places ? upstream::PlaceUse{places->taken(), places->most()} : upstream::PlaceUse();
  }
  shed::Overload* overload() noexcept override { return &overloaded; }
  shed::Overload overloaded;
  Duration time_for(std::size_t attempts) const override {
    return places ? places->usual() * static_cast<Duration::rep>(attempts) / places->most() : Duration(0);
  }
  std::optional<balance::Places> places;

 private:
  ServerScript next() {
    auto script = scripts.front();
    if (scripts.size() > 1) scripts.pop_front();
    return script;
  }
  upstream::AttemptPtr begin() { return new ScriptedAttempt(clock_, trace_, next(), report, begun_++ % 64); }

  VirtualClock& clock_;
  Trace& trace_;
  std::string name_;
  std::size_t begun_ = 0;  ///< each attempt is one at another server
};

}  // namespace headgate::gateway::test
