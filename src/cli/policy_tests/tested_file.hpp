#pragma once
// Runs a file of policy tests.

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
  std::string wrong;  ///< lines for people that say why the tests could not run; empty if they ran
  struct Ran {
    const config::PolicyTest* test = nullptr;  ///< part of `file`
    policy_test::TestResult result;
    std::chrono::duration<double> took{0};  ///< time that the run took on a real clock
    bool passed() const noexcept { return result.differences.empty(); }
  };
  std::vector<Ran> ran;
  std::size_t failed() const noexcept;
};

/// Runs the tests whose names contain `filter`. Throws no exception that a file can cause.
TestedFile run_file(const std::string& path, const std::string& filter);

/// Returns the differences of a test in the form in which `headgate check` shows mistakes, each with its place. Below
/// the first difference is the actual result, in the words of `headgate explain`.
std::vector<config::Diagnostic> mistakes_of(const TestedFile::Ran& ran);

/// Returns JUnit XML with one suite for each file. Characters that XML cannot represent are omitted.
std::string junit_text(const std::vector<TestedFile>& files);

}  // namespace headgate::cli
