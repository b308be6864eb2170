#pragma once
// Ignores signals without a meaning here that would end the process.

namespace headgate::server {

/// Ignores these signals from now on, so that a stray signal does no harm. Not changed: signals of faults and of job
/// control, SIGQUIT and SIGABRT (they write a core file), and the stop signals (SIGHUP, SIGINT, SIGTERM). If a file
/// reaches its maximum size (SIGXFSZ), the write returns an error.
void ignore_stray_signals();

}  // namespace headgate::server
