#pragma once
// Raises the limit of open files for tests that open many connections.

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace headgate::test {

/// Lets this process open as many files as its hard limit allows, and at least `wanted`.
inline void allow_descriptors(rlim_t wanted) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_GE(limit.rlim_max, wanted) << "open files that this machine allows (ulimit -Hn)";
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
}

}  // namespace headgate::test
