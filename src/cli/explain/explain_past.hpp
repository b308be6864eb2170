#pragma once
// headgate explain --request-id: what happened to a request, from the access log.

#include <string>
#include <vector>

namespace headgate::cli {

struct PastOptions {
  std::string request_id;
  std::vector<std::string> logs;  ///< "-": standard input
  bool json = false;
};
/// Reads all files, and tells each record of the request on stdout. kFailed if there is none, or a file cannot be read.
int explain_past(const PastOptions& options);

}  // namespace headgate::cli
