#pragma once
// Metrics of the process, under the names that Prometheus uses.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family process_cpu{.name = "process_cpu_seconds_total",
                                    .type = Type::counter,
                                    .labels = {},
                                    .help = "User and system CPU time in seconds",
                                    .ask = "rate(process_cpu_seconds_total{job=\"headgate\"}[5m])"};
inline constexpr Family process_open_fds{.name = "process_open_fds",
                                         .type = Type::gauge,
                                         .labels = {},
                                         .help = "Open file descriptors",
                                         .ask = "process_open_fds / process_max_fds > 0.8"};
inline constexpr Family process_max_fds{.name = "process_max_fds",
                                        .type = Type::gauge,
                                        .labels = {},
                                        .help = "Maximum number of open file descriptors",
                                        .ask = "process_max_fds"};
inline constexpr Family process_virtual{.name = "process_virtual_memory_bytes",
                                        .type = Type::gauge,
                                        .labels = {},
                                        .help = "Virtual memory size in bytes",
                                        .ask = "process_virtual_memory_bytes"};
inline constexpr Family process_resident{.name = "process_resident_memory_bytes",
                                         .type = Type::gauge,
                                         .labels = {},
                                         .help = "Resident memory size in bytes",
                                         .ask = "process_resident_memory_bytes"};
inline constexpr Family process_start{.name = "process_start_time_seconds",
                                      .type = Type::gauge,
                                      .labels = {},
                                      .help = "Start time of the process, in seconds since 1970",
                                      .ask = "time() - process_start_time_seconds"};

}  // namespace headgate::observe::family
