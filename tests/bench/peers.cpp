#include "peers.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace headgate::bench {

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<Peer> start_peers(const PeerSetup& setup, Work work) {
  std::vector<Peer> peers;
  const auto start = [&](const std::string& name, auto make_file, auto make_command) {
    const auto folder = setup.directory + "/" + name;
    std::filesystem::create_directories(folder);
    const auto port = free_port();
    const auto file = folder + ".conf";
    const auto upstream = work == Work::grpc ? setup.grpc_port : setup.upstream_port;
    std::ofstream(file) << make_file(
        work, Place{.folder = folder, .port = port, .upstream_port = upstream, .certificate = setup.certificate});
    const auto log = folder + ".log";
    auto process = std::make_unique<Process>(make_command(folder, file), setup.core, log);
    if (!wait_for_port(port, *process)) throw std::runtime_error(name + " did not start:\n" + read_file(log));
    peers.push_back({name, port, std::move(process), speaks_tls(work) && name != kWithoutTls});
  };
  const auto run_nginx = [](const std::string& folder, const std::string& file) {
    return std::vector<std::string>{"/usr/sbin/nginx", "-e", folder + ".log", "-c", file};
  };
  start("nginx", nginx_file, run_nginx);
  start("again", nginx_file, run_nginx);
  if (setup.haproxy) {
    start("haproxy", haproxy_file, [](const auto&, const auto& file) {
      return std::vector<std::string>{"/usr/sbin/haproxy", "-db", "-f", file};
    });
  }
  if (setup.nghttpx && speaks_h2(work)) {
    start("nghttpx", nghttpx_file, [](const auto&, const auto& file) {
      return std::vector<std::string>{"/usr/sbin/nghttpx", "--conf=" + file};
    });
  }
  if (!setup.headgate.empty()) {
    const auto run_headgate = [&](const auto&, const auto& file) {
      return std::vector<std::string>{setup.headgate, "run", "-c", file};
    };
    start("headgate", headgate_file, run_headgate);
    if (work == Work::log || work == Work::tls) {
      start(
          work == Work::log ? kWithoutLog : kWithoutTls,
          [](Work, const Place& place) { return headgate_file(Work::plain, place); }, run_headgate);
    }
  }
  return peers;
}

}  // namespace headgate::bench
