// The error of the sliding window's estimate against the log of every request.
#include "limiter_rows.hpp"
#include "support/rules.hpp"
#include "support/traffic.hpp"

namespace headgate::bench {

Rows error_rows() {
  using namespace std::chrono_literals;
  const limit::Rule window = test::make_rule("100/minute", 0, "plan", "sliding_window");
  const limit::Rule log = test::make_rule("100/minute", 0, "plan", "sliding_log");
  // Uniform: 180 a minute. Bursts: 150 within 5 s, one each 90 s. Zipf: 6000 a minute of all together.
  const std::pair<const char*, test::Traffic> loads[] = {
      {"uniform", test::uniform_traffic(3, 2h, 1)},
      {"150 at a time", test::bursty_traffic(150, 5s, 90s, 6h, 2)},
      {"Zipf, 1000 keys", test::zipf_traffic(1000, 1.0, 100, 1h, 3)},
  };
  Rows rows;
  for (const auto& [name, traffic] : loads) {
    const test::Comparison result = test::compare(window, log, traffic, test::kStart);
    const bool uniform = &traffic == &loads[0].second;  // what comes in bursts is off by what comes at once
    rows.push_back({.what = std::string("sliding_window off the log: ") + name,
                    .target = uniform ? "<= 5 %" : "",
                    .result = number(result.mean_error() * 100, 1) + " % of the limit on average, admits " +
                              number(result.admitted_error() * 100, 1) + " % more or fewer, worst minute " +
                              number(result.worst_excess() * 100, 0) + " % over",
                    .reached = uniform ? std::optional(result.mean_error() <= 0.05 && result.admitted_error() <= 0.05)
                                       : std::nullopt});
  }
  return rows;
}

}  // namespace headgate::bench
