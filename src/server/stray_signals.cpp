#include "stray_signals.hpp"

#include <csignal>
#include <initializer_list>

namespace headgate::server {

void ignore_stray_signals() {
  for (const int each :
       {SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGXFSZ, SIGXCPU})
    std::signal(each, SIG_IGN);
  for (int each = SIGRTMIN; each <= SIGRTMAX; ++each) std::signal(each, SIG_IGN);
}

}  // namespace headgate::server
