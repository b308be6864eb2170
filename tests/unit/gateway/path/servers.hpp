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
  bool whole = false;  ///< whether the body ended
  unsigned alive = 0;  ///< attempts under way
  unsigned cancelled = 0;
  unsigned given_back = 0;
};

class ScriptedAttempt final : public upstream::Attempt {
 public:
  ScriptedAttempt(VirtualClock& clock, Trace& trace, ServerScript script, ServerReport& report)
      : clock_(clock), trace_(trace), script_(std::move(script)), report_(report), body_(clock, trace, "server-body") {
    ++report_.alive;
  }
  ~ScriptedAttempt() override { --report_.alive; }

  std::string_view server() const noexcept override { return "10.0.0.1:80"; }

  Task<Result<void>> send(const upstream::RequestStart& start, std::string_view first, http::EndStream last) override {
    report_.targets.push_back(std::string(start.method) + " " + std::string(start.path) + std::string(start.query));
    report_.head.clear();
    for (const auto& field : *start.fields)
      report_.head += std::string(field.name) + ": " + std::string(field.value) + "\n";
    trace_.note("send", report_.targets.back());
    between_bytes_ = start.between_bytes;
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
    report_.whole = last == http::EndStream::yes;
    return {};
  }

  VirtualClock& clock_;
  Trace& trace_;
  ServerScript script_;
  ServerReport& report_;
  ScriptedBody body_;
  Duration sent_at_{0};
  Duration between_bytes_{0};
  Wait* waiting_ = nullptr;
  bool cancelled_ = false;
};

/// Each attempt uses the next script; the last script is for all further ones.
class ScriptedUpstream final : public upstream::Upstream {
 public:
  ScriptedUpstream(VirtualClock& clock, Trace& trace) : clock_(clock), trace_(trace) {}

  std::deque<ServerScript> scripts{{}};
  ServerReport report;

  const std::string& name() const noexcept override { return name_; }
  upstream::AttemptPtr take_idle() noexcept override {
    if (!scripts.front().kept) return nullptr;
    trace_.lines.emplace_back("take idle");
    return begin();
  }
  Task<Result<upstream::AttemptPtr, Failure>> connect() override {
    trace_.note("connect");
    Wait wait(clock_, scripts.front().connect_after);
    co_await wait;
    if (scripts.front().unreachable) co_return *next().unreachable;
    co_return begin();
  }
  void give_back(upstream::AttemptPtr, Duration) override { ++report.given_back; }
  void stop() override {}
  shed::Concurrency* concurrency() noexcept override { return counted ? &*counted : nullptr; }
  std::optional<shed::Concurrency> counted;

 private:
  ServerScript next() {
    auto script = scripts.front();
    if (scripts.size() > 1) scripts.pop_front();
    return script;
  }
  upstream::AttemptPtr begin() { return new ScriptedAttempt(clock_, trace_, next(), report); }

  VirtualClock& clock_;
  Trace& trace_;
  std::string name_ = "app";
};

}  // namespace headgate::gateway::test
