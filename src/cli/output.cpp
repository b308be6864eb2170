#include "output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace headgate::cli {
namespace {

bool reader_has_left() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

}  // namespace

bool flush_output() {
  static bool told = false;
  const bool before = std::ferror(stdout) != 0;
  const bool failed = std::fflush(stdout) != 0;
  const int why = errno;
  if (!before && !failed) return true;
  if (std::exchange(told, true) || reader_has_left()) return false;
  // If an earlier write failed, its reason is lost.
  std::fprintf(stderr, "headgate: cannot write the output%s%s\n", failed ? ": " : "", failed ? std::strerror(why) : "");
  return false;
}

}  // namespace headgate::cli
