// What one attacker of HTTP/2 costs headgate, nginx, HAProxy and nghttpx: `./dev bench attacks`.

#include "attack_page.hpp"
#include "attacked.hpp"
#include "bench/machine.hpp"
#include "bench/main_of.hpp"
#include "bench/page.hpp"
#include "bench/process.hpp"
#include "bench/scratch_directory.hpp"
#include "security/h2/upstream.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace headgate::bench {
namespace {

constexpr const char* kUsage = R"(attacks_bench --headgate PATH [OPTION...]
  --rounds N       each attack on each proxy so many times, the lowest figures count (default 5)
  --turn MS        how long each time (default 2000)
  --row TEXT       only attacks whose name contains TEXT
  --only NAME      only this proxy
  --page FILE      the page that holds the tables
  --write          puts them into the page
)";

struct Options {
  std::string headgate, page, row, only;
  unsigned rounds = 5;
  std::chrono::milliseconds turn{2'000};
  bool write = false;
};

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--write") {
      options.write = true;
      continue;
    }
    if (i + 1 == words.size()) return std::nullopt;
    const auto& value = words[++i];
    if (word == "--headgate")
      options.headgate = value;
    else if (word == "--page")
      options.page = value;
    else if (word == "--row")
      options.row = value;
    else if (word == "--only")
      options.only = value;
    else if (word == "--rounds")
      options.rounds = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
    else if (word == "--turn")
      options.turn = std::chrono::milliseconds(std::max(200, std::atoi(value.c_str())));
    else
      return std::nullopt;
  }
  if (options.headgate.empty() || (options.write && options.page.empty())) return std::nullopt;
  return options;
}

/// Other work on the machine only ever adds, so the lowest of each figure is the nearest to what it is.
void keep_lowest(std::optional<Suffered>& best, const Suffered& now) {
  if (!best) {
    best = now;
    return;
  }
  if (now.cpu < best->cpu) best->bytes = now.bytes;
  best->cpu = std::min(best->cpu, now.cpu);
  best->memory = std::min(best->memory, now.memory);
  best->p99 = std::min(best->p99, now.p99);
  best->lost = std::min(best->lost, now.lost);
  best->died = best->died || now.died;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string today() {
  const auto now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

std::string described(const Options& options, const std::vector<Target>& compared) {
  auto out = "`./dev bench attacks` on " + today() + ": " + machine();
  for (const auto& target : compared) out += "; " + target.version;
  return out + ".\nThe lowest of " + std::to_string(options.rounds) + " turns of " +
         std::to_string(options.turn.count()) + " ms.\n\n";
}

int run(const Options& options) {
  wait_for_the_machine();
  allow_many_files();
  if (!enter_own_network()) std::cerr << "note: no network namespace of its own, so connection tracking may add\n";
  // Where that is allowed, other work on the machine comes after the measurement, and the attacker with it.
  const sched_param first{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_RR, &first) != 0) std::cerr << "note: other work on the machine comes between\n";
  const ScratchDirectory scratch;
  auto compared = targets(options.headgate);
  std::erase_if(compared, [&](const Target& target) { return !options.only.empty() && target.name != options.only; });
  std::vector<const test::h2::Attack*> made;
  for (const auto& attack : test::h2::attacks())
    if (attack.name.find(options.row) != std::string::npos) made.push_back(&attack);

  pin_to(0);
  const test::h2::Upstream upstream;
  std::vector<std::vector<std::optional<Suffered>>> best(made.size() + 1,
                                                         std::vector<std::optional<Suffered>>(compared.size()));
  for (unsigned round = 0; round < options.rounds; ++round) {
    std::vector<Turn> turns(compared.size(), {scratch.path(), upstream.port(), options.turn});
    for (std::size_t t = 0; t < compared.size(); ++t) {
      Suffered quiet;
      turns[t].cpu_of_request = cpu_of_request(compared[t], turns[t], quiet);
      keep_lowest(best.back()[t], quiet);
    }
    for (std::size_t a = 0; a < made.size(); ++a) {
      std::cerr << "round " << round + 1 << ", " << made[a]->name << ':';
      for (std::size_t i = 0; i < compared.size(); ++i) {
        const auto t = (i + round) % compared.size();
        const auto now = attack(compared[t], *made[a], turns[t]);
        std::cerr << "  " << compared[t].name << ' ' << now.cpu << " ns/B, " << now.memory / 1'048'576 << " MiB, "
                  << now.p99 * 1e3 << " ms, " << now.lost << " lost, " << now.bytes / 1e6 << " MB on "
                  << now.connections << (now.died ? ", died" : "");
        keep_lowest(best[a][t], now);
      }
      std::cerr << '\n';
    }
  }
  const auto row_of = [](std::string name, std::string does, const auto& figures) {
    AttackRow row{std::move(name), std::move(does), {}};
    for (const auto& figure : figures) row.of.push_back(*figure);
    return row;
  };
  std::vector<std::string> names;
  for (const auto& target : compared) names.push_back(target.name);
  std::vector<AttackRow> rows;
  for (std::size_t a = 0; a < made.size(); ++a) rows.push_back(row_of(made[a]->name, made[a]->does, best[a]));
  const auto text = described(options, compared) + tables_of(names, rows, row_of("no attack", "", best.back()));
  std::cout << text << std::flush;
  if (options.write) {
    const auto page = with_part(read_file(options.page), "attacks", text);
    std::ofstream(options.page) << page << std::flush;
  }
  return 0;
}

}  // namespace
}  // namespace headgate::bench

int main(int argc, char** argv) {
  using namespace headgate::bench;
  return main_of(kUsage, parse({argv + 1, argv + argc}), [](const auto& options) { return run(options); });
}
