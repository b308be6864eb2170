// What it costs to know who is asking, beside what was promised: `./dev bench identity`.

#include "identity_rows.hpp"
#include "process.hpp"

#include <openssl/crypto.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace headgate::bench {

std::string nanoseconds(const Spread& spread) {
  return number(spread.middle, 0) + " ns (" + number(spread.low, 0) + "–" + number(spread.high, 0) + ")";
}

namespace {

constexpr const char* kUsage = R"(identity_bench [OPTION...]
  --only NAME   remembered, signatures, addresses or api-keys
  --rounds N    how often each figure is measured (default 21); the middle is shown, and the middle half
  --turn MS     how long each is measured in a round, in CPU time (default 20)
  --help        this
)";

struct Part {
  std::string_view name;
  Rows (*measured)(const Rounds& rounds);
};
constexpr std::array<Part, 4> kParts{{{"remembered", remembered_rows},
                                      {"signatures", signature_rows},
                                      {"addresses", address_rows},
                                      {"api-keys", api_key_rows}}};

struct Options {
  bool help = false;
  std::string only;
  Rounds rounds;
};

bool parse(const std::vector<std::string>& words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help") {
      options.help = true;
    } else if (i + 1 == words.size()) {
      return false;
    } else if (words[i] == "--only") {
      options.only = words[++i];
      if (std::ranges::find(kParts, options.only, &Part::name) == kParts.end()) return false;
    } else if (words[i] == "--rounds") {
      options.rounds.count = static_cast<unsigned>(std::max(1, std::atoi(words[++i].c_str())));
    } else if (words[i] == "--turn") {
      options.rounds.turn = std::chrono::milliseconds(std::max(1, std::atoi(words[++i].c_str())));
    } else {
      return false;
    }
  }
  return true;
}

double load_of_the_machine() {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

void describe_machine(const Rounds& rounds) {
  std::string model = "unknown CPU";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  }
  utsname system{};
  uname(&system);
  std::cout << model << ", " << std::thread::hardware_concurrency() << " cores, Linux " << system.release
            << ", load before it began " << number(load_of_the_machine(), 1) << '\n'
            << OpenSSL_version(OPENSSL_VERSION) << "; " << rounds.count << " rounds of " << rounds.turn.count()
            << " ms\nCPU time of one thread: the middle of the rounds, and their middle half.\n\n";
}

void run(const Options& options) {
  pin_to(0);
  describe_machine(options.rounds);
  print({{.what = "what", .target = "target", .result = "result", .reached = std::nullopt}});
  for (const Part& part : kParts) {
    if (options.only.empty() || options.only == part.name) print(part.measured(options.rounds));
  }
  std::cout << "\nload when it ended " << number(load_of_the_machine(), 1) << '\n';
}

}  // namespace

}  // namespace headgate::bench

int main(int argc, char** argv) {
  headgate::bench::Options options;
  if (!headgate::bench::parse({argv + 1, argv + argc}, options)) {
    std::cerr << headgate::bench::kUsage;
    return 2;
  }
  if (options.help) {
    std::cout << headgate::bench::kUsage;
    return 0;
  }
  try {
    headgate::bench::run(options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
