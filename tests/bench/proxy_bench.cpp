// CPU time a proxied request costs headgate, beside nginx, HAProxy and nghttpx on the same machine in the same minutes:
// `./dev bench`.

#include "machine.hpp"
#include "main_of.hpp"
#include "rounds.hpp"
#include "scratch_directory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::bench {

namespace {

constexpr const char* kUsage = R"(proxy_bench [idle] [OPTION...]
  idle              memory of an idle keep-alive connection and of an open stream instead of CPU; with --row h2 only of
                    HTTP/2
  --headgate PATH   the binary to measure; without it only the others are
  --rounds N        10 or more for a result (default 12)
  --turn MS         how long a proxy is measured in a round (default 600)
  --row TEXT        only rows whose name contains TEXT
  --no-haproxy      leave HAProxy out
  --no-nghttpx      leave nghttpx out
)";

const std::vector<Row> kRows = {
    {"plain, 128 B", Work::plain, 128},
    {"plain, 10 KB", Work::plain, 10 * 1024},
    {"limit by key, 128 B", Work::limit, 128},
    {"limit by key, 10 KB", Work::limit, 10 * 1024},
    {"refused with 429", Work::refuse, 128},
    {"with access log, 128 B", Work::log, 128},
    {"gzip, 10 KB", Work::gzip, 10 * 1024},
    {"gzip, 100 KB", Work::gzip, 100 * 1024},
    {"TLS, 128 B", Work::tls, 128},
    {"TLS, 10 KB", Work::tls, 10 * 1024},
    {"connection, handshake", Work::tls, 128, Unit::connection},
    {"connection, resumed", Work::tls, 128, Unit::resumption},
    {"connection, plain", Work::plain, 128, Unit::connection},
    {"h2, 1 stream, 128 B", Work::h2, 128, Unit::request, 1},
    {"h2, 1 stream, 10 KB", Work::h2, 10 * 1024, Unit::request, 1},
    {"h2, 100 streams, 128 B", Work::h2, 128, Unit::request, 100},
    {"h2, 100 streams, 10 KB", Work::h2, 10 * 1024, Unit::request, 100},
    {"h2 TLS, 1 stream, 128 B", Work::h2_tls, 128, Unit::request, 1},
    {"h2 TLS, 100 streams, 128 B", Work::h2_tls, 128, Unit::request, 100},
    {"h2 TLS, 100 streams, 10 KB", Work::h2_tls, 10 * 1024, Unit::request, 100},
    {"gRPC unary, 1 stream", Work::grpc, 128, Unit::request, 1},
    {"gRPC unary, 100 streams", Work::grpc, 128, Unit::request, 100},
};

struct Options {
  std::string headgate;
  std::string row;
  Plan plan;
  bool haproxy = std::filesystem::exists("/usr/sbin/haproxy");
  bool nghttpx = std::filesystem::exists("/usr/sbin/nghttpx");
  bool idle = false;
};

std::optional<Options> parse(std::vector<std::string> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "idle") {
      options.idle = true;
    } else if (word == "--no-haproxy") {
      options.haproxy = false;
    } else if (word == "--no-nghttpx") {
      options.nghttpx = false;
    } else if (i + 1 == words.size()) {
      return std::nullopt;
    } else if (word == "--headgate") {
      options.headgate = words[++i];
    } else if (word == "--row") {
      options.row = words[++i];
    } else if (word == "--rounds") {
      options.plan.rounds = static_cast<unsigned>(std::max(1, std::atoi(words[++i].c_str())));
    } else if (word == "--turn") {
      options.plan.turn = std::chrono::milliseconds(std::max(50, std::atoi(words[++i].c_str())));
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void describe_machine(const Options& options, const Plan& plan) {
  std::cout << machine() << '\n' << first_line_of("/usr/sbin/nginx -v");
  if (options.haproxy) std::cout << "; " << first_line_of("/usr/sbin/haproxy -v");
  if (options.nghttpx) std::cout << "; " << first_line_of("/usr/sbin/nghttpx --version");
  if (!options.headgate.empty()) std::cout << "; " << first_line_of(options.headgate + " version");
  std::cout << "\n1 worker each on a core of its own";
  if (!options.idle) {
    std::cout << ", " << plan.connections << " connections, " << plan.keys << " keys, " << plan.rounds << " rounds of "
              << plan.turn.count() << " ms each";
  }
  std::cout << "\n\n";
}

void print_costs(const std::vector<Peer>& peers, const Row& row, const std::vector<std::vector<double>>& costs) {
  static bool first = true;
  if (std::exchange(first, false)) {
    std::printf("%-22s", "CPU µs a request");
    for (std::size_t i = 0; i < costs.size(); ++i) std::printf("%10s", peers[i].name.c_str());
    std::printf("   as a share of nginx, round by round (middle, and middle half)\n");
  }
  std::printf("%-21s", row.name.c_str());
  for (const auto& cost : costs) std::printf("%10.2f", quantile(cost, 0.5));
  std::printf("  ");
  for (std::size_t i = 1; i < costs.size(); ++i) {
    const auto share = ratio(costs[i], costs[0]);
    std::printf(" %s %.3f (%.2f-%.2f)", peers[i].name.c_str(), share.middle, share.low, share.high);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// What a line of the access log, or TLS, costs: the difference of the last two peers, round by round.
void print_difference(const char* what, const std::vector<std::vector<double>>& costs) {
  const auto& with = costs[costs.size() - 2];
  const auto& without = costs.back();
  std::vector<double> lines(with.size());
  std::transform(with.begin(), with.end(), without.begin(), lines.begin(), std::minus<>());
  std::printf("  %s costs headgate %.2f µs (%.2f-%.2f)\n", what, quantile(lines, 0.5), quantile(lines, 0.25),
              quantile(lines, 0.75));
}

void measure_rows(Traffic& traffic, const Options& options, PeerSetup setup) {
  std::optional<Work> running;
  std::vector<Peer> peers;
  for (const auto& row : kRows) {
    if (row.name.find(options.row) == row.name.npos) continue;
    if (running != row.work) {
      peers.clear();
      peers = start_peers(setup, row.work);
      running = row.work;
    }
    auto costs = measure(traffic, peers, row, options.plan);
    const auto& last = peers.back().name;
    const bool twice = last == kWithoutLog || last == kWithoutTls;
    if (twice) print_difference(last == kWithoutLog ? "a line of it" : "TLS", costs);
    if (twice) costs.pop_back();
    print_costs(peers, row, costs);
  }
  std::cout
      << "\n\"again\" is nginx a second time: what differs there is noise, and no smaller difference is a result.\n";
}

void print_bytes(const Peer& peer, double bytes) {
  std::printf("%-10s %8.0f\n", peer.name.c_str(), bytes);
  std::fflush(stdout);
}

void measure_idle(Traffic& traffic, const PeerSetup& setup, bool only_h2) {
  constexpr unsigned kConnections = 8000;
  constexpr unsigned kOfH2 = 1024;
  const auto measure_with = [&](Work work, const Calling& calling, unsigned connections) {
    for (const auto& peer : start_peers(setup, work)) {
      if (peer.name == kWithoutTls) continue;
      print_bytes(peer, idle_connection_bytes(traffic, peer, calling, connections));
    }
  };
  if (!only_h2) {
    std::cout << "resident bytes an idle keep-alive connection, from " << kConnections << " of them\n";
    measure_with(Work::plain, {}, kConnections);
    std::cout << "the same with TLS 1.3" << std::endl;
    measure_with(Work::tls, {.secrecy = Secrecy::full}, kConnections);
  }
  std::cout << "resident bytes an idle connection of HTTP/2, from " << kOfH2 << " of them" << std::endl;
  measure_with(Work::h2, {.streams = 1}, kOfH2);
}

void measure_open(Traffic& traffic, const PeerSetup& setup) {
  constexpr unsigned kConnections = 100;
  constexpr unsigned kStreams = 50;
  std::cout << "resident bytes an open stream that waits for its server, from " << kStreams << " on each of "
            << kConnections << " connections; servers of HTTP/1.1, with a connection each" << std::endl;
  for (const auto& peer : start_peers(setup, Work::h2))
    print_bytes(peer, open_stream_bytes(traffic, peer, {}, kConnections, kStreams));
  std::cout << "the same with calls of gRPC, and servers of HTTP/2" << std::endl;
  for (const auto& peer : start_peers(setup, Work::grpc))
    print_bytes(peer, open_stream_bytes(traffic, peer, {.grpc = true}, kConnections, kStreams));
}

int run(const Options& options) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores < 2) {
    std::cerr << "this needs two cores: one for the proxy, one for the load and the upstream\n";
    return 1;
  }
  wait_for_the_machine();
  allow_many_files();
  describe_machine(options, options.plan);
  if (!enter_own_network()) {
    std::cerr << "note: no network namespace of its own (needs root), so connection tracking may add to every figure\n";
  }
  pin_to(0);
  const ScratchDirectory directory;
  Traffic traffic;
  const PeerSetup setup{.headgate = options.headgate,
                        .haproxy = options.haproxy,
                        .nghttpx = options.nghttpx,
                        .directory = directory.path(),
                        .upstream_port = traffic.upstream_port(),
                        .grpc_port = traffic.grpc_port(),
                        .core = cores - 1,
                        .certificate = make_certificate(directory.path())};
  if (options.idle) {
    measure_idle(traffic, setup, options.row == "h2");
    measure_open(traffic, setup);
  } else {
    measure_rows(traffic, options, setup);
  }
  return 0;
}

}  // namespace

}  // namespace headgate::bench

int main(int argc, char** argv) {
  using namespace headgate::bench;
  return main_of(kUsage, parse({argv + 1, argv + argc}), [](const auto& options) { return run(options); });
}
