#include "machine.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <fstream>
#include <iostream>
#include <thread>

namespace headgate::bench {

void wait_for_the_machine() {
  const int lock = open("/tmp/headgate-bench.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) return;
  std::cerr << "another measurement is under way; waiting\n";
  flock(lock, LOCK_EX);
}

void allow_many_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string machine() {
  std::string model = "unknown CPU";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  }
  utsname system{};
  uname(&system);
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, Linux " + system.release;
}

}  // namespace headgate::bench
