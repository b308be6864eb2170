#pragma once
// Signals that end a process unless it says otherwise, and that nobody means so.

namespace headgate::server {

/// From here on they do nothing: a stray one, or one meant for another program, does no harm. Left as they are: those
/// of faults and of job control, SIGQUIT and SIGABRT, which ask for a core, and those that end a process (SIGHUP,
/// SIGINT, SIGTERM). A file that may grow no further (SIGXFSZ) is an error of its write.
void ignore_stray_signals();

}  // namespace headgate::server
