#pragma once
// A file of policy tests, run.

#include "headgate/config/policy_tests.hpp"
#include "headgate/policy_test/run_test.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace headgate::cli {

struct TestedFile {
  std::string path;
  std::string text;
  config::PolicyTests file;
  std::string wrong;  ///< why its tests could not run, for people, with its ends of lines; empty: they did
  struct Ran {
    const config::PolicyTest* test = nullptr;  ///< of `file`
    policy_test::TestResult result;
    std::chrono::duration<double> took{0};  ///< real time
    bool passed() const noexcept { return result.differences.empty(); }
  };
  std::vector<Ran> ran;
  std::size_t failed() const noexcept;
};

/// Runs the tests whose name contains `filter`. Throws nothing that a file can cause.
TestedFile run_file(const std::string& path, const std::string& filter);

/// The differences of a test as `headgate check` shows mistakes, each with its place; below the first what would have
/// happened, in the words of `headgate explain`.
std::vector<config::Diagnostic> mistakes_of(const TestedFile::Ran& ran);

/// JUnit XML with one suite for each file. What XML cannot carry is left out.
std::string junit_text(const std::vector<TestedFile>& files);

}  // namespace headgate::cli
