// Each fuzzer for a second, with what was made of its seeds at random. `./dev fuzz` lets libFuzzer look for longer, led
// by what is covered.

#include "fuzzer.hpp"

#include "headgate/core/random.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace headgate::fuzz {

/// In the names that ctest shows.
void PrintTo(const Fuzzer& fuzzer, std::ostream* out) { *out << fuzzer.name; }

namespace {

constexpr std::size_t kMaxSize = 4096;

std::vector<std::string> seeds_of(std::string_view fuzzer) {
  std::vector<std::string> out;
  const auto directory = std::string(HEADGATE_SOURCE_DIR) + "/tests/fuzz/seeds/" + std::string(fuzzer);
  if (!std::filesystem::is_directory(directory)) return out;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream file(entry.path());
    out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// What becomes of seeds when their bytes are changed, moved and mixed.
class Mutants {
 public:
  Mutants(std::vector<std::string> seeds, Random& random) : seeds_(std::move(seeds)), random_(random) {}

  std::string next() {
    auto bytes = a_seed();
    for (auto changes = below(8); changes > 0; --changes) change(bytes);
    bytes.resize(std::min(bytes.size(), kMaxSize));
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  const std::string& a_seed() { return seeds_[below(seeds_.size())]; }
  /// A piece of what there is, most often a short one.
  std::string piece(const std::string& of) {
    const auto from = below(of.size() + 1);
    return of.substr(from, below(2) == 0 ? below(8) : below(of.size() + 1));
  }
  char byte() {
    constexpr std::string_view kOften("\0\xff\n\r \t\"\\/:;,.%{}[]=0-", 22);
    return below(2) == 0 ? kOften[below(kOften.size())] : static_cast<char>(random_());
  }

  void change(std::string& bytes) {
    const auto at = below(bytes.size() + 1);
    switch (below(5)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = byte();
        break;
      case 2:
        bytes.insert(at, below(16) == 0 ? below(kMaxSize) : 1, byte());
        break;
      case 3:
        bytes.erase(at, below(2) == 0 ? 1 : below(bytes.size() + 1));
        break;
      default:
        bytes.insert(at, piece(below(2) == 0 ? bytes : a_seed()));
    }
  }

  std::vector<std::string> seeds_;
  Random& random_;
};

// What is tried now, and where it is kept if it ends the process: set before a fuzzer runs, and read where nothing may
// be allocated.
std::string g_tried;
std::string g_kept_in;

void keep_tried() {
  const auto file = ::open(g_kept_in.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0) (void)!::write(file, g_tried.data(), g_tried.size());
  for (const std::string_view text :
       {std::string_view("\nwhat was tried is in "), std::string_view(g_kept_in), std::string_view("\n")})
    (void)!::write(STDERR_FILENO, text.data(), text.size());
}

class EveryFuzzer : public testing::TestWithParam<Fuzzer> {};

TEST_P(EveryFuzzer, FindsNothingInASecond) {
  const auto& fuzzer = GetParam();
  auto seeds = seeds_of(fuzzer.name);
  ASSERT_FALSE(seeds.empty());
  g_kept_in = std::filesystem::current_path() / (std::string(fuzzer.name) + ".tried");
  std::signal(SIGABRT, [](int) { keep_tried(); });
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  __sanitizer_set_death_callback(keep_tried);
#else
  for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    std::signal(fatal, [](int signal) {
      keep_tried();
      std::signal(signal, SIG_DFL);
    });
#endif
  const auto run = [&](std::string bytes) {
    g_tried = std::move(bytes);
    fuzzer.run(g_tried);
  };
  for (const auto& seed : seeds) run(seed);
  const auto drawn = Random::of_the_system()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(drawn));
  Random random(drawn);
  Mutants mutants(std::move(seeds), random);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) run(mutants.next());
}

INSTANTIATE_TEST_SUITE_P(Fuzz, EveryFuzzer, testing::ValuesIn(fuzzers()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace headgate::fuzz
