#pragma once
// Configurations and requests for simulations.

#include "headgate/config/load.hpp"
#include "headgate/simulate/run.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace headgate::simulate::test {

/// "AT+SIZE message": what is wrong with a text that was read.
template <class Read>
std::string fault_text(const Read& read) {
  if (read.has_value()) return "nothing";
  return std::to_string(read.error().at) + "+" + std::to_string(read.error().size) + " " + read.error().message;
}

constexpr Instant kFirst{std::chrono::sys_days(std::chrono::year(2026) / 11 / 24) + std::chrono::hours(12)};

inline config::Config config_of(const std::string& members, const std::string& app = R"("http://127.0.0.1:3000")") {
  auto loaded = config::load(R"({"listen": ":8080", "upstreams": {"app": )" + app + "}, " + members + "}");
  for (const auto& each : loaded.diagnostics)
    if (each.severity == config::Severity::error) ADD_FAILURE() << each.message << " [" << each.pointer << "]";
  if (!loaded.config) return {};
  loaded.config->memory.max_keys = 10'000;  // their memory is reserved for each run
  return std::move(*loaded.config);
}

/// One limit, "each", by address.
inline config::Config limited(const std::string& rate, const std::string& more = {}) {
  return config_of(R"("limits": {"each": {"rate": ")" + rate + R"(", "per": "client_ip")" + more +
                   R"(}}, "routes": [{"path": "/*", "to": "app", "limits": ["each"]}])");
}

/// The limits "each", by address, and "plan" with two tiers, by the owner of a key that may be missing.
inline config::Config saas() {
  return config_of(R"("identity": {"trusted_proxies": ["192.0.2.0/24"]},
    "limits": {"each": {"rate": "100/second", "per": "client_ip"},
               "plan": {"per": "header:x-tenant", "tier_from": "header:x-plan", "if_absent": "skip",
                        "tiers": {"free": {"rate": "2/minute"}, "pro": {"rate": "5/minute"}},
                        "default_tier": "free"}},
    "routes": [{"path": "/*", "to": "app", "limits": ["each", "plan"]}])");
}

/// Requests of one address, a while apart.
struct Group {
  std::string address;
  unsigned count = 1;
  Duration apart{0};
  Duration begin{0};
  std::vector<http::Field> fields{};
  Duration answered_after{0};
};

/// Several groups, in the order of time.
class Groups final : public engine::Arrivals {
 public:
  explicit Groups(std::vector<Group> groups) : groups_(std::move(groups)) {
    for (const auto& group : groups_)
      for (unsigned i = 0; i < group.count; ++i)
        all_.push_back({.at = kFirst + group.begin + group.apart * i,
                        .address = boost::asio::ip::make_address(group.address),
                        .host = "a.example",
                        .fields = group.fields,
                        .answer = {.after = group.answered_after}});
    std::ranges::stable_sort(all_, {}, &engine::RequestArrival::at);
  }
  const engine::RequestArrival* next() override { return at_ == all_.size() ? nullptr : &all_[at_++]; }

 private:
  std::vector<Group> groups_;
  std::vector<engine::RequestArrival> all_;
  std::size_t at_ = 0;
};

inline Trial simulated(const config::Config& config, const std::vector<Group>& groups,
                       const TrialOptions& options = {}) {
  Groups arrivals(groups);
  return run(policy_of(config), arrivals, options);
}

}  // namespace headgate::simulate::test
