#include "headgate/policy_test/run_test.hpp"

#include "judge.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/net/tls/secured.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace headgate::policy_test {
namespace {

std::vector<http::Field> fields_of(const config::TestFields& written) {
  std::vector<http::Field> out;
  for (const auto& [name, value] : written) out.push_back({http::known_field(name), name, value});
  return out;
}

/// A step of a test, prepared for the simulation. It must not be moved in memory.
class Prepared {
 public:
  Prepared(const config::SendStep& step, const TestListener& listener, const engine::Simulation& simulation)
      : fields_(fields_of(step.fields)), answer_fields_(fields_of(step.answer.fields)) {
    std::string_view host = step.host;
    const auto written = std::ranges::find_if(fields_, [](const auto& field) { return same_word(field.name, "Host"); });
    if (written != fields_.end()) {
      host = written->value;
      fields_.erase(written);  // a second Host field stays, so that the simulation refuses the request
    }
    arrival_.address = boost::asio::ip::make_address(step.ip);
    if (step.call) {
      arrival_.call = &*step.call;
      arrival_.method = "POST";
      arrival_.path = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
      return;
    }
    arrival_.method = step.method;
    arrival_.host = host;
    arrival_.path = step.path;
    arrival_.query = step.query;
    arrival_.fields = fields_;
    arrival_.bytes = step.bytes;
    arrival_.text = step.json;
    arrival_.tls = step.tls.value_or(listener.over_tls) || step.certificate;
    arrival_.https_port = listener.https_port;
    arrival_.assumed.claims = step.claims;
    if (step.api_key_owner) arrival_.assumed.key = simulation.key_of(step.api_key_owner->value);
    if (step.user) arrival_.assumed.user = step.user->value;
    if (step.certificate) {
      secured_.version = "1.3";
      secured_.certificate = std::make_unique<const net::PeerCertificate>(net::PeerCertificate{
          .subject = step.certificate->subject, .names = step.certificate->names, .sha256 = step.certificate->sha256});
      arrival_.secured = &secured_;
    }
    arrival_.answer = {.status = step.answer.status,
                       .bytes = step.answer.bytes,
                       .after = step.answer.after,
                       .fields = answer_fields_,
                       .text = step.answer.json};
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  const engine::RequestArrival& arrival() const noexcept { return arrival_; }

 private:
  std::vector<http::Field> fields_;
  std::vector<http::Field> answer_fields_;
  net::Secured secured_;
  engine::RequestArrival arrival_;
};

bool expects_something(const config::Expectation& expect) noexcept {
  return expect.allowed || expect.rejected || expect.refused || expect.status || expect.limit || expect.tier ||
         expect.retry_after || expect.remaining || expect.route || expect.upstream || expect.took ||
         !expect.fields.empty() || expect.code || expect.codes;
}

class TestRun {
 public:
  TestRun(const config::PolicyTest& test, const offline::OfflineConfig& config, const TestListener& listener,
          Budget& budget)
      : test_(test),
        config_(config),
        listener_(listener),
        budget_(budget),
        simulation_(config.simulation({.start = test.start, .max_keys = 8 * test.steps.size() + 1'000})) {}

  TestResult run() {
    const auto over = std::ranges::find_if(test_.steps, [&](const auto& step) { return !take(step); });
    if (over == test_.steps.end() && finish()) return result();
    simulation_->stop();  // background work would otherwise go on
    while (simulation_->under_way() > 0 && simulation_->clock().advance_to_alarm()) continue;
    auto out = result();
    out.differences.push_back({.place = over == test_.steps.end() ? test_.name.place : over->place,
                               .message = "the tests of this file cannot go on here: too much happens in them",
                               .help = "send fewer requests, wait for less, or divide the file"});
    return out;
  }

 private:
  static constexpr std::uint64_t kPiece = std::uint64_t{64} * 1024;
  static constexpr Duration kLongest = std::chrono::hours(24 * 36'600);  // a hundred years

  struct Sent {
    Prepared prepared;
    SentStep judged;
  };

  /// Runs one step. Returns false if the budget of the tests does not suffice.
  bool take(const config::TestStep& step) {
    if (const auto* const sent = std::get_if<config::SendStep>(&step.what)) return send(*sent);
    if (const auto* const wait = std::get_if<config::WaitStep>(&step.what)) {
      waited_ += wait->time;
      return waited_ <= kLongest && pass_until(simulation_->clock().wall() + wait->time);
    }
    auto& redis = simulation_->redis();
    std::get<config::RedisStep>(step.what).up ? redis.come_back() : redis.go_down();
    return true;
  }

  bool send(const config::SendStep& step) {
    // A body is relayed in pieces, each of which takes about as long as a request.
    const auto all = step.times * (1 + (step.bytes + step.answer.bytes) / kPiece);
    if (budget_.requests < all) return false;
    budget_.requests -= all;
    sent_.push_back(std::unique_ptr<Sent>(new Sent{{step, listener_, *simulation_}, SentStep(step, requests_)}));
    auto& [prepared, judged] = *sent_.back();
    for (std::uint64_t i = 1; i <= step.times; ++i) {
      if (i == step.times && expects_something(step.expect))
        judged.why(
            StepExplanation{.told = simulation_->explain(prepared.arrival()), .candidates = {}, .times = step.times});
      simulation_->send(prepared.arrival(), judged.tell());
      ++requests_;
    }
    return true;
  }

  bool pass_until(Instant moment) {
    auto& clock = simulation_->clock();
    for (auto next = clock.next_alarm(); next && *next <= moment; next = clock.next_alarm()) {
      if (budget_.alarms == 0) return false;
      --budget_.alarms;
      clock.advance_to_alarm();
    }
    clock.advance_to(moment);
    return true;
  }

  /// Lets time pass until all requests have ended.
  bool finish() {
    while (simulation_->under_way() > 0) {
      const auto next = simulation_->clock().next_alarm();
      if (!next) throw std::logic_error("a request waits, and nothing will happen");
      if (!pass_until(*next)) return false;
    }
    return true;
  }

  TestResult result() {
    TestResult out;
    out.requests = requests_;
    out.lasted = std::chrono::duration_cast<Duration>(simulation_->clock().wall() - test_.start);
    for (const auto& sent : sent_) {
      auto& judged = sent->judged;
      if (judged.differences().empty()) continue;
      if (out.differences.empty()) {
        out.why = judged.take_why();
        if (out.why) name_candidates(sent->prepared.arrival(), *out.why);
      }
      for (const auto& each : judged.differences())
        if (out.differences.size() < kMaxDifferences) out.differences.push_back(each);
    }
    return out;
  }

  void name_candidates(const engine::RequestArrival& arrival, StepExplanation& asked) const {
    if (arrival.call != nullptr) return;
    asked.candidates = gateway::considered_routes(config_.compiled(), engine::head_of(arrival), arrival.address);
    gateway::choose(asked.candidates, asked.told.found);
  }

  const config::PolicyTest& test_;
  const offline::OfflineConfig& config_;
  const TestListener& listener_;
  Budget& budget_;
  std::vector<std::unique_ptr<Sent>> sent_;  // the simulation reports to these objects until it ends
  std::unique_ptr<engine::Simulation> simulation_;
  std::uint64_t requests_ = 0;
  Duration waited_{0};
};

}  // namespace

TestResult run_test(const config::PolicyTest& test, const offline::OfflineConfig& config, const TestListener& listener,
                    Budget& budget) {
  return TestRun(test, config, listener, budget).run();
}

}  // namespace headgate::policy_test
