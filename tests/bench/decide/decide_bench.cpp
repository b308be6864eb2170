// CPU time of a decision of the rate limit service beside a relayed call of gRPC: `./dev bench decide`.

#include "bench/cost_count.hpp"
#include "bench/identity_rounds.hpp"
#include "bench/machine.hpp"
#include "bench/main_of.hpp"
#include "bench/page.hpp"
#include "bench/process.hpp"
#include "bench/scratch_directory.hpp"
#include "bench/table.hpp"
#include "bench/traffic.hpp"
#include "support/redis_server.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace headgate::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUsage = R"(decide_bench --headgate PATH [OPTION...]
  --rounds N       how often each figure is measured (default 15); the middle is shown, and the middle half
  --turn MS        how long each is measured in a round (default 400)
  --instructions   also counts the instructions of a call with callgrind, which takes minutes
  --page FILE      the page that holds the table
  --write          puts the table into the page, with the instructions
)";

constexpr std::array<unsigned, 2> kAtOnce{1, 100};  // at the same time on the one connection
constexpr unsigned kAddresses = 100;                // each has counters of its own
constexpr double kBar = 1.3;                        // of a relayed call

struct Options {
  std::string headgate, page;
  unsigned rounds = 15;
  std::chrono::milliseconds turn{400};
  bool instructions = false, write = false;
};

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--write") {
      options.write = options.instructions = true;
      continue;
    }
    if (word == "--instructions") {
      options.instructions = true;
      continue;
    }
    if (++i == words.size()) return std::nullopt;
    if (word == "--headgate")
      options.headgate = words[i];
    else if (word == "--page")
      options.page = words[i];
    else if (word == "--rounds")
      options.rounds = static_cast<unsigned>(std::max(1, std::atoi(words[i].c_str())));
    else if (word == "--turn")
      options.turn = std::chrono::milliseconds(std::max(50, std::atoi(words[i].c_str())));
    else
      return std::nullopt;
  }
  if (options.headgate.empty() || (options.write && options.page.empty())) return std::nullopt;
  return options;
}

/// A field of a message of protobuf that is text or a message, and shorter than 128 bytes.
std::string field(int number, const std::string& value) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(value.size())} + value;
}

std::string entry(const std::string& key, const std::string& value) {
  return field(1, field(1, key) + field(2, value));
}

/// The messages that Envoy sends for clients of these addresses.
std::vector<std::string> asking_in(const std::string& domain) {
  std::vector<std::string> out;
  for (unsigned i = 0; i < kAddresses; ++i)
    out.push_back(field(1, domain) + field(2, entry("generic_key", "login") +
                                                  entry("remote_address", "203.0.113." + std::to_string(100 + i))));
  return out;
}

/// The calls that are compared: relayed ones, and decisions in a domain of the configuration.
struct Kind {
  const char* what;
  const char* domain;  // null: relayed
};
constexpr std::array<Kind, 5> kKinds{{{"unary call, relayed to a server", nullptr},
                                      {"answer to a descriptor that no entry matches", "free"},
                                      {"decision, limit in memory", "memory"},
                                      {"decision, limit in Redis, leased", "leased"},
                                      {"decision, limit in Redis, each counted there", "exact"}}};

struct Ports {
  std::uint16_t decides = free_port();
  std::uint16_t relays = free_port();
};

std::string configuration(const Ports& ports, std::uint16_t server, std::uint16_t redis) {
  const auto limit = [](const std::string& name, const std::string& more) {
    return '"' + name + R"(":{"rate":"1000000/second","per":"descriptor:remote_address",)" + more + '}';
  };
  const auto rule = [](const std::string& name) {
    return R"({"domain":")" + name + R"(","match":{"generic_key":"login","remote_address":"*"},"limits":[")" + name +
           R"("]})";
  };
  return R"({"listen":[{"address":"127.0.0.1:)" + std::to_string(ports.decides) +
         R"(","protocol":"rate_limit_service"},{"address":"127.0.0.1:)" + std::to_string(ports.relays) +
         R"(","http2":true}],"workers":1,"admin":"off","log":{"level":"error","access":"off"},)" +
         R"("identity":{"trusted_proxies":["127.0.0.1/32"]},)" + R"("redis":{"url":"redis://127.0.0.1:)" +
         std::to_string(redis) + R"(","timeout":"20s"},"limits":{)" + limit("memory", R"("store":"memory")") + ',' +
         limit("leased", R"("store":"redis")") + ',' +
         limit("exact", R"("store":"redis","leases":"off","if_redis_down":"reject")") + R"(},"decide":[)" +
         rule("memory") + ',' + rule("leased") + ',' + rule("exact") +
         R"(],"upstreams":{"app":{"servers":["http://127.0.0.1:)" + std::to_string(server) +
         R"("],"protocol":"http2","connect_timeout":"60s"}},"routes":[{"path":"/*","to":"app"}]})";
}

Load load_of(const Kind& kind, unsigned streams, const Ports& ports, const std::vector<std::string>& command) {
  return {.command = command,
          .port = kind.domain == nullptr ? ports.relays : ports.decides,
          .requests = kind.domain == nullptr ? std::vector<std::string>{} : asking_in(kind.domain),
          .streams = streams,
          .grpc = true,
          .decides = kind.domain != nullptr};
}

/// Costs of one kind of call, for each number of streams.
struct Figure {
  std::array<Costs, kAtOnce.size()> cpu = {};   // µs of a call, round by round
  std::array<Costs, kAtOnce.size()> rate = {};  // calls a second
  std::array<double, kAtOnce.size()> instructions = {};
};
using Figures = std::array<Figure, kKinds.size()>;

void measure_turn(Traffic& traffic, const Process& gateway, const Load& load, Figure& figure, std::size_t at,
                  std::chrono::milliseconds turn) {
  traffic.start(load.port, {.streams = load.streams, .grpc = true, .decides = load.decides}, load.requests);
  traffic.run_for(50ms);
  const auto before = traffic.tally().ok;
  const auto cpu = gateway.cpu_time();
  const auto begun = std::chrono::steady_clock::now();
  traffic.run_for(turn);
  const std::chrono::duration<double, std::micro> used = gateway.cpu_time() - cpu;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const auto& tally = traffic.tally();
  const auto calls = static_cast<double>(tally.ok - before);
  if (tally.failed > 0 || calls == 0) throw std::runtime_error(std::string("a call failed: ") + tally.why);
  figure.cpu[at].push_back(used.count() / calls);
  figure.rate[at].push_back(calls / took.count());
  traffic.stop();
}

/// Waits until Redis counts.
void wait_for_redis(Traffic& traffic, const Ports& ports) {
  for (const auto until = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < until;) {
    traffic.start(ports.decides, {.requests_each = 1, .streams = 1, .grpc = true, .decides = true}, asking_in("exact"));
    traffic.run_until(1, 1s);
    traffic.stop();
    if (traffic.tally().failed == 0 && traffic.tally().ok == 1) return;
  }
  throw std::runtime_error("no decision was made in Redis");
}

std::string with_spread(const Spread& spread, int digits) {
  return number(spread.middle, digits) + " (" + number(spread.low, digits) + " to " + number(spread.high, digits) + ")";
}

Spread of_relayed(const Figures& figures, std::size_t kind, std::size_t at) {
  return share(figures[kind].cpu[at], figures.front().cpu[at]);
}

/// "52,723"
std::string with_comma(double count) {
  auto text = number(count, 0);
  if (text.size() > 3) text.insert(text.size() - 3, ",");
  return text;
}

std::string decide_table(const Figures& figures) {
  std::string out =
      "| call | streams | CPU | of a relayed call | calls per second of CPU | instructions |\n"
      "|---|---|---|---|---|---|\n";
  for (std::size_t at = 0; at < kAtOnce.size(); ++at)
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      const auto cpu = spread(figures[kind].cpu[at]).middle;
      out += std::string("| ") + kKinds[kind].what + " | " + std::to_string(kAtOnce[at]) + " | " + number(cpu, 1) +
             " µs | " + (kind == 0 ? "1" : with_spread(of_relayed(figures, kind, at), 2)) + " | " +
             number(1e3 / cpu, 0) + ",000 | " + with_comma(figures[kind].instructions[at]) + " |\n";
    }
  return out;
}

void print_all(const Figures& figures) {
  for (std::size_t at = 0; at < kAtOnce.size(); ++at)
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      const auto& figure = figures[kind];
      print({{std::string(kKinds[kind].what) + ", streams: " + std::to_string(kAtOnce[at]) + ", µs of CPU", "",
              with_spread(spread(figure.cpu[at]), 2), std::nullopt},
             {"  calls a second, as the load came", "", with_spread(spread(figure.rate[at]), 0), std::nullopt}});
      if (figure.instructions[at] > 0)
        print({{"  instructions", "", number(figure.instructions[at], 0), std::nullopt}});
      if (kind == 0) continue;
      const auto part = of_relayed(figures, kind, at);
      print({{"  as a share of a relayed call", "at most 1.3", with_spread(part, 2), part.middle <= kBar}});
    }
}

int run(const Options& options) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores < 2)
    throw std::runtime_error("this needs two cores: one for headgate, one for the load, the server and Redis");
  wait_for_the_machine();
  allow_many_files();
  enter_own_network();
  pin_to(0);
  const ScratchDirectory directory;
  test::RedisServer redis;
  if (!redis.start()) throw std::runtime_error("no Redis: " + redis.error());
  Traffic traffic;
  const Ports ports;
  const auto file = directory.path() + "/headgate.json";
  std::ofstream(file) << configuration(ports, traffic.grpc_port(), redis.port());
  const std::vector<std::string> command{options.headgate, "run", "-c", file};
  Figures figures;
  std::cout << machine() << "; " << first_line_of(options.headgate + " --version") << '\n';
  {
    const Process gateway(command, cores - 1, directory.path() + "/log");
    if (!wait_for_port(ports.relays, gateway)) throw std::runtime_error("headgate did not start");
    wait_for_redis(traffic, ports);
    for (unsigned round = 0; round < options.rounds; ++round)
      for (std::size_t at = 0; at < kAtOnce.size(); ++at)
        for (std::size_t step = 0; step < kKinds.size(); ++step) {
          const auto kind = round % 2 == 0 ? step : kKinds.size() - 1 - step;
          measure_turn(traffic, gateway, load_of(kKinds[kind], kAtOnce[at], ports, command), figures[kind], at,
                       options.turn);
        }
  }
  for (std::size_t kind = 0; options.instructions && kind < kKinds.size(); ++kind)
    for (std::size_t at = 0; at < kAtOnce.size(); ++at)
      figures[kind].instructions[at] = count_per_request(
          Tool::callgrind, traffic, load_of(kKinds[kind], kAtOnce[at], ports, command), directory.path());
  print_all(figures);
  if (!options.write) return 0;
  std::ifstream in(options.page);
  const std::string page(std::istreambuf_iterator<char>(in), {});
  std::ofstream(options.page) << with_part(page, "decide", decide_table(figures)) << std::flush;
  return 0;
}

}  // namespace
}  // namespace headgate::bench

int main(int argc, char** argv) {
  using namespace headgate::bench;
  return main_of(kUsage, parse({argv + 1, argv + argc}), [](const auto& options) { return run(options); });
}
