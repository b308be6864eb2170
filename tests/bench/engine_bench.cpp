// What an arrival of a simulation costs, and what reading it from a log: `./dev bench engine`.

#include "bench/combined_log.hpp"
#include "support/simulated.hpp"

#include "headgate/access_logs/log_arrivals.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::bench {
namespace {

using engine::RequestArrival;

constexpr const char* kUsage = R"(engine_bench [OPTION...]
  --only NAME     plain, limited, log (lines of combined are read) or replayed (and then limited)
  --arrivals N    of each row (default 2000000)
  --log FILE      the log; without it, one is written
  --no-count      arrivals a second only, without the instructions, which valgrind counts
)";

constexpr unsigned kAddresses = 100'000;
/// How many a second of CPU are wanted: a million lines of a log in 1.5 s, of which reading takes 0.3 s.
struct Row {
  std::string_view name;
  double target;
  bool log;
};
constexpr std::array<Row, 4> kRows{
    {{"plain", 1e6, false}, {"limited", 1e6, false}, {"log", 3.3e6, true}, {"replayed", 1e6 / 1.5, true}}};

struct Options {
  std::string only;
  std::string log;
  std::uint64_t arrivals = 2'000'000;
  bool count = true;
};

/// One every twenty microseconds, each of one of the addresses by chance, whose server takes five milliseconds: 250 are
/// under way.
class Crowd final : public engine::Arrivals {
 public:
  explicit Crowd(std::uint64_t arrivals) : left_(arrivals) {
    arrival_.at = test::kStart;
    arrival_.host = "api.example.com";
    arrival_.path = "/v1/orders/17";
    arrival_.fields = fields_;
    arrival_.answer = {.status = 200, .bytes = 512, .after = std::chrono::milliseconds(5)};
  }
  const RequestArrival* next() override {
    if (left_-- == 0) return nullptr;
    arrival_.at += Duration(20);
    arrival_.address =
        boost::asio::ip::address_v4(0x0A000000U + static_cast<std::uint32_t>(random_() % kAddresses));  // 10.0.0.0/8
    return &arrival_;
  }

 private:
  std::array<http::Field, 2> fields_{
      {{http::Known::user_agent, "User-Agent", "engine_bench"}, {http::Known::accept, "Accept", "application/json"}}};
  Random random_{1};
  std::uint64_t left_;
  RequestArrival arrival_;
};

double cpu() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// A file that is gone when it is not needed any more.
class WrittenLog {
 public:
  WrittenLog(const std::string& name, std::uint64_t lines)
      : path_("/tmp/engine_bench." + name + '.' + std::to_string(getpid())) {
    write_combined_log(path_, lines);
  }
  WrittenLog(const WrittenLog&) = delete;
  WrittenLog& operator=(const WrittenLog&) = delete;
  ~WrittenLog() { std::remove(path_.c_str()); }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

std::unique_ptr<access_logs::LogArrivals> opened(const std::string& log) {
  auto out = access_logs::LogArrivals::open({.files = {log}, .host = "api.example.com"});
  if (out.has_error()) throw std::runtime_error(out.error());
  return std::move(*out);
}

/// Arrivals for each second of CPU.
double run(const Row& row, const std::string& log, std::uint64_t arrivals) {
  if (row.name == "log") {
    const auto before = cpu();
    const auto lines = opened(log);
    while (lines->next() != nullptr) {
    }
    return static_cast<double>(lines->counts().requests) / (cpu() - before);
  }
  test::Simulated simulated;
  if (row.name != "plain") simulated.limit_by("client_ip", "each", "10/second");
  const auto simulation = simulated.start(1, 2 * kAddresses);
  std::uint64_t answered = 0;
  const auto tell = [&](const engine::ArrivalResult& decided) { answered += decided.status == 200 ? 1 : 0; };
  const auto before = cpu();
  if (row.log) {
    simulation->run(*opened(log), tell);
  } else {
    Crowd crowd(arrivals);
    simulation->run(crowd, tell);
  }
  const auto took = cpu() - before;
  if (answered == 0) throw std::runtime_error("no arrival was answered");
  return static_cast<double>(arrivals) / took;
}

/// All that one run collects, the start of the program included.
std::optional<double> collected(const std::string& self, const Row& row, std::uint64_t arrivals) {
  std::optional<WrittenLog> written;
  if (row.log) written.emplace("counted", arrivals);
  const std::string log = "/tmp/engine_bench." + std::to_string(getpid());
  const auto command = "valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=" + log + " " + self +
                       " --no-count --only " + std::string(row.name) + (written ? " --log " + written->path() : "") +
                       " --arrivals " + std::to_string(arrivals) + " > /dev/null 2>&1";
  const auto status = std::system(command.c_str());
  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::remove(log.c_str());
  constexpr std::string_view kName = "Collected : ";
  const auto at = text.rfind(kName);
  if (status != 0 || at == std::string::npos) return std::nullopt;
  return std::stod(text.substr(at + kName.size()));
}

void print(const Options& options, const Row& row, const std::string& self) {
  std::optional<WrittenLog> written;
  if (row.log && options.log.empty()) written.emplace("log", options.arrivals);
  const auto a_second = run(row, written ? written->path() : options.log, options.arrivals);
  std::cout << row.name << ": " << static_cast<std::uint64_t>(a_second) << " arrivals a second of CPU"
            << (a_second >= row.target ? "" : ", too few");
  if (options.count) {
    constexpr std::uint64_t kLess = 20'000;
    constexpr std::uint64_t kMore = 120'000;
    const auto less = collected(self, row, kLess);
    const auto more = collected(self, row, kMore);
    if (less && more)
      std::cout << ", " << static_cast<std::uint64_t>((*more - *less) / (kMore - kLess)) << " instructions each";
    else
      std::cout << " (valgrind has not counted)";
  }
  std::cout << std::endl;
}

bool parse(const std::vector<std::string>& words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--no-count") {
      options.count = false;
    } else if (i + 1 == words.size()) {
      return false;
    } else if (words[i] == "--only") {
      options.only = words[++i];
    } else if (words[i] == "--log") {
      options.log = words[++i];
    } else if (words[i] == "--arrivals") {
      options.arrivals = std::strtoull(words[++i].c_str(), nullptr, 10);
    } else {
      return false;
    }
  }
  return options.arrivals > 0;
}

}  // namespace
}  // namespace headgate::bench

int main(int argc, char** argv) {
  using namespace headgate::bench;
  Options options;
  if (!parse({argv + 1, argv + argc}, options)) {
    std::cerr << kUsage;
    return 2;
  }
  try {
    for (const auto& row : kRows)
      if (options.only.empty() || options.only == row.name) print(options, row, argv[0]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
