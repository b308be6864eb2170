#include "headgate/admin/collect.hpp"
#include "headgate/admin/commit.hpp"
#include "headgate/observe/families/gateway.hpp"
#include "headgate/observe/families/process.hpp"
#include "headgate/observe/families/requests.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace headgate::admin {
namespace {

namespace family = observe::family;
using observe::Scrape;

double number(std::uint64_t count) noexcept { return static_cast<double>(count); }

/// Some fields of /proc/self/stat. They are read after the program's name, which may contain spaces (proc(5)); the
/// first field after the name is field 3.
struct Stat {
  std::uint64_t user_ticks = 0, system_ticks = 0, start_ticks = 0, virtual_bytes = 0, resident_pages = 0;
};

bool read(Stat& stat) {
  std::ifstream file("/proc/self/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string skipped;
  const auto skip = [&](int count) {
    while (count-- > 0) fields >> skipped;
  };
  skip(11);
  fields >> stat.user_ticks >> stat.system_ticks;
  skip(6);
  fields >> stat.start_ticks >> stat.virtual_bytes >> stat.resident_pages;
  return static_cast<bool>(fields);
}

/// Returns the boot time in seconds since 1970; 0 if it is unknown.
double boot_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  double seconds = 0;
  while (file >> word) {
    if (word == "btime" && file >> seconds) break;
  }
  return seconds;
}

std::uint64_t open_descriptors() {
  std::error_code ec;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", ec), end; !ec && entry != end; entry.increment(ec))
    ++count;
  return count > 0 ? count - 1 : 0;  // the descriptor that reads the directory is one of the entries
}

void show_process(double booted, Scrape& scrape) {
  static const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  Stat stat;
  if (read(stat)) {
    scrape.value(family::process_cpu, {}, number(stat.user_ticks + stat.system_ticks) / ticks);
    scrape.value(family::process_virtual, {}, number(stat.virtual_bytes));
    scrape.value(family::process_resident, {}, number(stat.resident_pages) * page);
    if (booted > 0) scrape.value(family::process_start, {}, booted + number(stat.start_ticks) / ticks);
  }
  scrape.value(family::process_open_fds, {}, number(open_descriptors()));
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) scrape.value(family::process_max_fds, {}, number(limit.rlim_cur));
}

}  // namespace

void collect_process(observe::Registry& registry) {
  registry.gauge(family::build_info, {HEADGATE_VERSION, std::string(commit())}).set(1);
  registry.collect([booted = boot_time()](Scrape& scrape) { show_process(booted, scrape); });
}

void collect_logs(observe::Registry& registry, std::function<observe::Logs::Dropped()> ask) {
  registry.collect([ask = std::move(ask)](Scrape& scrape) {
    const auto dropped = ask();
    scrape.value(family::log_dropped, {"access"}, number(dropped.access));
    scrape.value(family::log_dropped, {"error"}, number(dropped.error));
    scrape.value(family::log_left_out, {"keep_ok"}, number(dropped.ok_left_out));
    scrape.value(family::log_left_out, {"refusals_every"}, number(dropped.refusals_left_out));
  });
}

}  // namespace headgate::admin
