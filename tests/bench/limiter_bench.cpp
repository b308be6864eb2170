// What a decision of the limiter costs, in memory and in Redis, beside what was promised: `./dev bench limiter`.

#include "limiter_rows.hpp"
#include "process.hpp"

#include <spdlog/spdlog.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace headgate::bench {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::string million(double a_second) { return number(a_second / 1e6, 1) + " M/s"; }

namespace {

constexpr const char* kUsage = R"(limiter_bench [OPTION...]
  --bytes         only bytes of a key of each algorithm, as a Markdown table
  --only NAME     embedded, flood, strict, leased, error or bytes
  --repeats N     how often each figure is measured (default 5); the median is shown
)";

struct Options {
  bool bytes = false;
  std::string only;
  LimiterPlan plan;
};

bool parse(const std::vector<std::string>& words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--bytes") {
      options.bytes = true;
    } else if (i + 1 == words.size()) {
      return false;
    } else if (words[i] == "--only") {
      options.only = words[++i];
    } else if (words[i] == "--repeats") {
      options.plan.repeats = std::max(1, std::atoi(words[++i].c_str()));
    } else {
      return false;
    }
  }
  return true;
}

void describe_machine() {
  std::string model = "unknown CPU";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  }
  utsname system{};
  uname(&system);
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  std::cout << model << ", " << std::thread::hardware_concurrency() << " cores, Linux " << system.release
            << ", load before it began " << number(load, 1) << '\n'
            << first_line_of("redis-server --version")
            << "\nRates are decisions by the CPU time they used, so that what else runs changes them little.\n\n";
}

int run(const Options& options) {
  spdlog::set_level(spdlog::level::warn);
  test::RedisServer redis;
  if (!redis.start()) std::cerr << "no Redis, so no row of it: " << redis.error() << '\n';
  if (options.bytes) {
    if (redis.pid() == 0) return 1;
    std::cout << bytes_table(redis);
    return 0;
  }
  describe_machine();
  print({{.what = "what", .target = "target", .result = "result", .reached = std::nullopt}});
  const auto wanted = [&](const char* name) { return options.only.empty() || options.only == name; };
  if (wanted("embedded")) print(embedded_rows(options.plan));
  if (wanted("flood")) print(flood_rows());
  if (wanted("error")) print(error_rows());
  if (redis.pid() == 0) return 1;
  if (wanted("strict")) print(strict_rows(redis, options.plan));
  if (wanted("leased")) print(leased_rows(redis));
  if (wanted("bytes")) std::cout << "\nBytes a key, its name of 23 bytes included:\n\n" << bytes_table(redis);
  return 0;
}

}  // namespace

}  // namespace headgate::bench

int main(int argc, char** argv) {
  headgate::bench::Options options;
  if (!headgate::bench::parse({argv + 1, argv + argc}, options)) {
    std::cerr << headgate::bench::kUsage;
    return 2;
  }
  try {
    return headgate::bench::run(options);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
