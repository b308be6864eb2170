#pragma once
// The command line.

namespace headgate::cli {

/// Runs the command that `words` name. Exit codes: 0 well, 1 failed while running, 2 wrong command line, 3 the
/// configuration has errors, 4 the running gateway could not be reached.
int main(int count, char** words);

}  // namespace headgate::cli
