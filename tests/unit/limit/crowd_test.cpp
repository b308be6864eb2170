// Ten thousand obedient clients at one limit: told when to come back, and with appointments.

#include "support/crowd.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;

struct Numbers {
  double goodput;   ///< served, as a share of what the limit allows
  double useful;    ///< served, as a share of the requests
  double fairness;  ///< Jain's index
  double p99;       ///< seconds
  double never;     ///< share of the clients
  double busiest;   ///< requests in the busiest tenth of a second
};

Numbers numbers_of(const CrowdOptions& options) {
  const auto result = Crowd(options).run();
  const double allowed = 100 + 100.0 * static_cast<double>(options.length / 1s);
  // The beginning is the same for both: everybody comes at once.
  const auto busiest = *std::max_element(result.asked_in.begin() + 50, result.asked_in.end());
  Numbers out{static_cast<double>(result.served) / allowed,
              static_cast<double>(result.served) / static_cast<double>(result.requests),
              result.fairness(),
              static_cast<double>(result.wait_of(0.99).count()) / 1e6,
              result.never_served(),
              static_cast<double>(busiest)};
  std::cout << "goodput " << out.goodput << ", useful " << out.useful << ", fairness " << out.fairness << ", p99 "
            << out.p99 << " s, never served " << out.never << ", busiest tenth " << out.busiest << '\n';
  return out;
}

constexpr limit::AppointmentTerms kTerms{5min, 10s};

TEST(Crowd, IsServedInTurnWithAppointments) {
  const auto without = numbers_of({});
  const auto with = numbers_of({.appointments = kTerms});
  EXPECT_LE(with.goodput, 1.0);
  EXPECT_GE(with.goodput, 0.95);
  EXPECT_LT(without.useful, 0.02) << "98 of 100 requests come for nothing";
  EXPECT_GT(with.useful, 0.3);
  EXPECT_LT(without.fairness, 0.7);
  EXPECT_GT(with.fairness, 0.9);
  EXPECT_GT(without.never, 0.1) << "in three minutes";
  EXPECT_EQ(with.never, 0);
  EXPECT_GT(without.p99, 150);
  EXPECT_LT(with.p99, 105) << "a hundred seconds is what ten thousand requests take";
  EXPECT_LT(with.busiest * 4, without.busiest);
}

TEST(Crowd, LosesTheAppointmentsThatNobodyKeeps) {
  const auto some = numbers_of({.appointments = kTerms, .absent = 0.2});
  EXPECT_LT(some.goodput, 0.9);
  EXPECT_GT(some.goodput, 0.7) << "one of five";
}

TEST(Crowd, OfClientsThatIgnoreAppointmentsHarmsItself) {
  const auto some = numbers_of({.appointments = kTerms, .ignorant = 0.1});
  EXPECT_GT(some.goodput, 0.8);
  EXPECT_LT(some.goodput, 0.95);
  const auto all = numbers_of({.appointments = kTerms, .ignorant = 1});
  EXPECT_LT(all.goodput, 0.1);
}

}  // namespace
}  // namespace headgate::test
