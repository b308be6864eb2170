// What a request costs headgate in instructions and system calls, beside nginx, HAProxy and nghttpx: `./dev bench
// cost`. Its test compares headgate's figures with those of the documentation.

#include "cost_count.hpp"
#include "cost_page.hpp"
#include "main_of.hpp"
#include "peer_files.hpp"
#include "process.hpp"
#include "scratch_directory.hpp"
#include "support/jwt_signer.hpp"
#include "support/redis_server.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::bench {

namespace {

constexpr const char* kUsage = R"(cost_bench --headgate PATH [OPTION...]
  --page FILE      the page that holds the table
  --write          puts the table into the page
  --check          counts only headgate; ends with 1 where a figure has grown beyond the page's, with 77 where
                   a tool is missing or the page's figures belong to another compiler
  --no-peers       counts only headgate
  --row TEXT       only rows whose name contains TEXT
  --profiles DIR   leaves what callgrind saw there, for callgrind_annotate
)";

constexpr int kSkipped = 77;
// A run that a busy machine stretches has more ticks of timers in it, so what seems to have grown is counted again.
constexpr int kCountedAgain = 4;
constexpr unsigned kCallers = 100;

struct Options {
  std::string headgate, page, row, profiles;
  bool check = false, write = false, peers = true;
};

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const auto text = [&](std::string& out) {
      if (i + 1 < words.size()) out = words[++i];
      return !out.empty();
    };
    bool known = true;
    if (word == "--check")
      options.check = true;
    else if (word == "--write")
      options.write = true;
    else if (word == "--no-peers")
      options.peers = false;
    else if (word == "--headgate")
      known = text(options.headgate);
    else if (word == "--page")
      known = text(options.page);
    else if (word == "--row")
      known = text(options.row);
    else if (word == "--profiles")
      known = text(options.profiles);
    else
      known = false;
    if (!known) return std::nullopt;
  }
  const bool page_wanted = options.check || options.write;
  if (options.headgate.empty() || (page_wanted && options.page.empty())) return std::nullopt;
  return options;
}

struct Scenario {
  const char* name;
  Work work;
  bool peers_can;        ///< whether nginx and HAProxy have it
  bool checked = true;   ///< whether --check counts it, too
  unsigned streams = 0;  ///< at the same time on a connection of HTTP/2
};

constexpr Scenario kScenarios[] = {
    {"plain", Work::plain, true},
    {"limit by key, allowed", Work::limit, true},
    {"limit by key, refused", Work::refuse, true},
    {"two limits, allowed", Work::two_limits, false},
    {"limit by key, with a candidate", Work::candidate, false},
    {"JWT in the token cache", Work::jwt, false},
    {"plain, with access log", Work::log, true},
    {"limit in Redis, leased", Work::leased, false},
    {"TLS, keep-alive", Work::tls, true},
    // Under the tool it takes minutes to load; tests/cost counts the steps of the search.
    {"plain, 100,000 routes", Work::many, false, false},
    {"h2, 1 stream", Work::h2, true, true, 1},
    {"h2, 100 streams", Work::h2, true, true, 100},
    {"h2 TLS, 1 stream", Work::h2_tls, true, true, 1},
    {"h2 TLS, 100 streams", Work::h2_tls, true, true, 100},
    {"gRPC unary, 1 stream", Work::grpc, true, true, 1},
    {"gRPC unary, 100 streams", Work::grpc, true, true, 100},
};

std::vector<std::string> requests_for(Work work) {
  if (work != Work::jwt) return requests_of(kCallers);
  std::vector<std::string> requests;
  for (unsigned caller = 0; caller < kCallers; ++caller) {
    const auto claims = R"({"iss":"https://login.example.com/","sub":"user-)" + std::to_string(100'000 + caller) +
                        R"(","iat":1790000000,"exp":4000000000,"scope":"orders:read orders:write"})";
    requests.push_back(request_with("Authorization: Bearer " + test::sign(kTokenSecret, "HS256", claims)));
  }
  return requests;
}

/// One after another. Each owns a folder, the load and a Redis.
class Counting {
 public:
  Counting(const Options& options, std::string folder) : options_(options), folder_(std::move(folder)) {}

  CostRow row(const Scenario& scenario) {
    if (scenario.work == Work::leased && redis_.pid() == 0 && !redis_.start())
      throw std::runtime_error("no Redis: " + redis_.error());
    const auto headgate = [this](const auto&, const auto& file) {
      return std::vector<std::string>{options_.headgate, "run", "-c", file};
    };
    if (speaks_tls(scenario.work) && certificate_.empty()) certificate_ = make_certificate(folder_);
    CostRow row{scenario.name, *cost("headgate", scenario, headgate_file, headgate)};
    if (!options_.peers || options_.check || !scenario.peers_can) return row;
    row.nginx = cost("nginx", scenario, nginx_file, [](const auto& folder, const auto& file) {
      return std::vector<std::string>{
          "/usr/sbin/nginx", "-e", folder + "/error.log", "-g", "master_process off;", "-c", file};
    });
    row.haproxy = cost("haproxy", scenario, haproxy_file, [](const auto&, const auto& file) {
      return std::vector<std::string>{"/usr/sbin/haproxy", "-db", "-f", file};
    });
    if (!speaks_h2(scenario.work)) return row;
    row.nghttpx = cost("nghttpx", scenario, nghttpx_file, [](const auto&, const auto& file) {
      return std::vector<std::string>{"/usr/sbin/nghttpx", "--conf=" + file};
    });
    return row;
  }

 private:
  template <class File, class Command>
  std::optional<Cost> cost(const std::string& name, const Scenario& scenario, File make_file, Command make_command) {
    auto folder = folder_ + "/" + name + "-" + scenario.name;
    std::ranges::replace(folder, ' ', '-');  // nginx's file knows words only
    std::filesystem::create_directories(folder);
    const auto file = folder + "/conf";
    const auto command = make_command(folder, file);
    if (!std::filesystem::exists(command.front())) return std::nullopt;
    const auto upstream = scenario.work == Work::grpc ? traffic_.grpc_port() : traffic_.upstream_port();
    const Place place{folder, free_port(), upstream, redis_.port(), certificate_};
    std::ofstream(file) << make_file(scenario.work, place);
    const Load load{.command = command,
                    .port = place.port,
                    .requests = requests_for(scenario.work),
                    .refused = scenario.work == Work::refuse,
                    .secrecy = speaks_tls(scenario.work) ? Secrecy::full : Secrecy::none,
                    .streams = scenario.streams,
                    .grpc = scenario.work == Work::grpc};
    const auto instructions = count_per_request(Tool::callgrind, traffic_, load, folder);
    const auto calls = count_per_request(Tool::strace, traffic_, load, folder);
    return Cost{.instructions = instructions, .calls = calls};
  }

  const Options& options_;
  std::string folder_;
  std::string certificate_;
  Traffic traffic_;
  test::RedisServer redis_;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool installed(const std::string& tool) { return !first_line_of("command -v " + tool).empty(); }

CostRow count_row(const Options& options, const std::string& page, Counting& counting, const Scenario& scenario) {
  auto row = counting.row(scenario);
  for (int again = 0; options.check && again < kCountedAgain && !grown(page, {row}).empty(); ++again) {
    const auto other = counting.row(scenario).headgate;
    row.headgate.instructions = std::min(row.headgate.instructions, other.instructions);
    row.headgate.calls = std::min(row.headgate.calls, other.calls);
  }
  return row;
}

/// What is published has the machine for itself; to be compared, two rows at a time are good enough.
std::vector<CostRow> count_rows(const Options& options, const std::string& page, const std::string& folder) {
  std::vector<const Scenario*> wanted;
  for (const auto& scenario : kScenarios) {
    if (std::string(scenario.name).find(options.row) == std::string::npos) continue;
    if (options.check && !scenario.checked && options.row.empty()) continue;
    wanted.push_back(&scenario);
  }
  std::vector<CostRow> rows(wanted.size());
  std::atomic<std::size_t> next = 0;
  const auto count = [&](unsigned counter) {
    const auto own = folder + "/" + std::to_string(counter);
    std::filesystem::create_directories(own);
    Counting counting(options, own);
    for (auto at = next++; at < wanted.size(); at = next++) {
      std::cerr << wanted[at]->name + std::string("...\n");
      rows[at] = count_row(options, page, counting, *wanted[at]);
    }
  };
  std::vector<std::future<void>> counters;
  for (unsigned counter = 0; counter < (options.check ? 2 : 1); ++counter)
    counters.push_back(std::async(std::launch::async, count, counter));
  for (auto& counter : counters) counter.get();
  return rows;
}

int run(const Options& options) {
  for (const char* tool : {"valgrind", "strace", "redis-server"}) {
    if (installed(tool)) continue;
    std::cerr << "no " << tool << " on this machine\n";
    return options.check ? kSkipped : 1;
  }
  const auto page = options.page.empty() ? std::string() : read_file(options.page);
  if (options.check && counted_otherwise(page)) {
    std::cerr << "the page's figures were not counted with " << counted_with() << ", so they say nothing here\n";
    return kSkipped;
  }
  const ScratchDirectory scratch;
  const auto folder = options.profiles.empty() ? scratch.path() : std::filesystem::absolute(options.profiles).string();
  const auto rows = count_rows(options, page, folder);
  std::cout << table_of(rows) << std::flush;
  if (options.write) std::ofstream(options.page) << with_table(page, table_of(rows)) << std::flush;
  if (!options.check) return 0;
  const auto more = grown(page, rows);
  for (const auto& sentence : more) std::cout << sentence << '\n';
  if (!more.empty()) std::cout << "Where that is worth it, ./dev bench cost --write puts the new figures there.\n";
  return more.empty() ? 0 : 1;
}

}  // namespace

}  // namespace headgate::bench

int main(int argc, char** argv) {
  using namespace headgate::bench;
  return main_of(kUsage, parse({argv + 1, argv + argc}), [](const auto& options) { return run(options); });
}
