#include "attacked.hpp"

#include "bench/peer_files.hpp"
#include "bench/process.hpp"
#include "security/h2/attacker.hpp"
#include "security/h2/bystander.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace headgate::bench {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

constexpr int kCore = 1;
constexpr unsigned kRequestsASecond = 200;
constexpr auto kWarm = 300ms;
constexpr auto kSample = 10ms;
/// Of the attacker, among what else the machine does. Bystander and upstream, on the same core, come before both.
constexpr int kAttackerNice = -10;

template <std::string (*file_of)(Work, const Place&)>
std::string http2_file(const std::string& folder, std::uint16_t port, std::uint16_t upstream_port) {
  return file_of(Work::attacked, Place{.folder = folder, .port = port, .upstream_port = upstream_port});
}

struct Running {
  std::uint16_t port;
  std::unique_ptr<Process> process;
};

/// Fresh: what an earlier attack left in its heap is no help to it.
Running start(const Target& target, const Turn& turn) {
  const auto folder = turn.directory + "/" + target.name;
  std::filesystem::create_directories(folder);
  const auto port = free_port();
  const auto file = folder + ".conf";
  const auto log = folder + ".log";
  std::ofstream(file) << target.file(folder, port, turn.upstream_port) << std::flush;
  Running out{port, std::make_unique<Process>(target.command(target.program, folder, file), kCore, log)};
  if (!wait_for_port(port, *out.process)) {
    std::ifstream said(log);
    throw std::runtime_error(target.name + " did not start:\n" + std::string(std::istreambuf_iterator<char>(said), {}));
  }
  test::h2::Bystander warm(port, kRequestsASecond);
  std::this_thread::sleep_for(kWarm);
  if (const auto waits = warm.stop(); waits.lost > 0 || waits.answered.empty())
    throw std::runtime_error(target.name + " answers nobody");
  return out;
}

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::vector<Target> targets(const std::string& headgate) {
  std::vector<Target> all{{"headgate", first_line_of(headgate + " version"), http2_file<headgate_file>,
                           [](const auto& program, const auto&, const auto& file) {
                             return Words{program, "run", "-c", file};
                           },
                           headgate},
                          {"nginx", first_line_of("/usr/sbin/nginx -v"), http2_file<nginx_file>,
                           [](const auto& program, const auto& folder, const auto& file) {
                             return Words{program, "-e", folder + ".log", "-c", file};
                           },
                           "/usr/sbin/nginx"},
                          {"HAProxy", first_line_of("/usr/sbin/haproxy -v"), http2_file<haproxy_file>,
                           [](const auto& program, const auto&, const auto& file) {
                             return Words{program, "-db", "-f", file};
                           },
                           "/usr/sbin/haproxy"},
                          {"nghttpx", first_line_of("/usr/sbin/nghttpx --version"), http2_file<nghttpx_file>,
                           [](const auto& program, const auto&, const auto& file) {
                             return Words{program, "--conf=" + file};
                           },
                           "/usr/sbin/nghttpx"}};
  std::erase_if(all, [](const Target& target) { return !std::filesystem::exists(target.program); });
  return all;
}

Suffered attack(const Target& target, const test::h2::Attack& what, const Turn& turn) {
  const auto running = start(target, turn);
  const auto& process = *running.process;
  const auto memory = process.resident();
  const auto cpu = process.cpu_time();
  auto peak = memory;
  test::h2::Bystander bystander(running.port, kRequestsASecond);
  const test::h2::Attacker attacker(running.port, what, kAttackerNice);
  for (const auto end = std::chrono::steady_clock::now() + turn.length; std::chrono::steady_clock::now() < end;) {
    std::this_thread::sleep_for(kSample);
    peak = std::max(peak, process.resident());
  }
  const auto used = process.cpu_time() - cpu;
  Suffered out;
  out.bytes = static_cast<double>(attacker.sent());
  out.connections = static_cast<double>(attacker.connections());
  const auto waits = bystander.stop();
  const auto own = static_cast<double>(used.count()) - turn.cpu_of_request * static_cast<double>(waits.answered.size());
  out.cpu = std::max(own, 0.0) / std::max(out.bytes, 1.0);
  out.memory = static_cast<double>(peak - memory);
  out.p99 = seconds(waits.at(0.99));
  out.lost = static_cast<double>(waits.lost);
  out.died = !process.running();
  return out;
}

double cpu_of_request(const Target& target, const Turn& turn, Suffered& quiet) {
  const auto running = start(target, turn);
  const auto cpu = running.process->cpu_time();
  test::h2::Bystander bystander(running.port, kRequestsASecond);
  std::this_thread::sleep_for(turn.length);
  const auto used = running.process->cpu_time() - cpu;
  const auto waits = bystander.stop();
  quiet.p99 = seconds(waits.at(0.99));
  quiet.lost = static_cast<double>(waits.lost);
  return static_cast<double>(used.count()) / static_cast<double>(std::max<std::size_t>(waits.answered.size(), 1));
}

}  // namespace headgate::bench
