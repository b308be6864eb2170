#pragma once
// The command line of headgate. Used by src/main.cpp.

namespace headgate::cli {

/// Runs the command that `words` name. Returns the exit code: 0 for success, 1 for a failure while running, 2 for a
/// wrong command line, 3 for errors in the configuration, 4 if the running gateway could not be reached.
int main(int count, char** words);

}  // namespace headgate::cli
