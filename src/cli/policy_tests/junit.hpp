#pragma once
// The results of policy tests as JUnit writes them, for CI.

#include "tested_file.hpp"

#include <string>
#include <vector>

namespace headgate::cli {

/// One suite a file. What XML cannot carry is left out.
std::string junit_text(const std::vector<TestedFile>& files);

}  // namespace headgate::cli
