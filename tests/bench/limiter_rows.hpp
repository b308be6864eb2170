#pragma once
// What `./dev bench limiter` measures: each function fills some rows of its table.

#include "support/redis_server.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::bench {

struct LimiterRow {
  std::string what;
  std::string target;  ///< empty where there is none
  std::string result;
  std::optional<bool> reached;
};
using LimiterRows = std::vector<LimiterRow>;

/// How often each figure is measured; what is shown is the median.
struct LimiterPlan {
  int repeats = 5;
};

LimiterRows embedded_rows(const LimiterPlan& plan);
LimiterRows flood_rows();
LimiterRows strict_rows(test::RedisServer& redis, const LimiterPlan& plan);
LimiterRows leased_rows(test::RedisServer& redis);
LimiterRows error_rows();

/// Bytes of a key of each algorithm, in memory and in Redis, as a Markdown table; the same on every machine with the
/// same Redis.
std::string bytes_table(test::RedisServer& redis);

double median(std::vector<double> values);
std::string million(double a_second);          ///< "5.3 M/s"
std::string number(double value, int digits);  ///< with this many digits behind the point

/// A subject as a gateway would hand it in, in a buffer of its own: "user-<number>".
class Subject {
 public:
  std::string_view operator()(std::uint64_t number) noexcept {
    char* at = text_ + sizeof text_;
    do {
      *--at = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    for (const char c : {'-', 'r', 'e', 's', 'u'}) *--at = c;
    return {at, static_cast<std::size_t>(text_ + sizeof text_ - at)};
  }

 private:
  char text_[32];
};

}  // namespace headgate::bench
