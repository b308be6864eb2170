#pragma once
// The measurements of `./dev bench limiter`: each function fills some rows of its table.

#include "support/redis_server.hpp"
#include "table.hpp"

#include <string>
#include <vector>

namespace headgate::bench {

/// How often each figure is measured; what is shown is the median.
struct LimiterPlan {
  int repeats = 5;
};

Rows embedded_rows(const LimiterPlan& plan);
Rows flood_rows();
Rows strict_rows(test::RedisServer& redis, const LimiterPlan& plan);
Rows leased_rows(test::RedisServer& redis);
Rows error_rows();

/// Bytes of a key of each algorithm, in memory and in Redis, as a Markdown table; the same on every machine with the
/// same Redis.
std::string bytes_table(test::RedisServer& redis);

double median(std::vector<double> values);
std::string million(double a_second);  ///< "5.3 M/s"

/// A key as a gateway passes it, in its own buffer: "user-<number>".
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
