#pragma once
// The story of a past request, from its record in the access log: as JSON and for people.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headgate::cli {

/// `record` in the names of the format `json`, with any values. The answer has the members of POST /api/v1/explain
/// where the facts are the same; and `missing`, the fields that every line has unless `log.fields` leaves them out.
nlohmann::ordered_json past_request(const nlohmann::ordered_json& record);
/// `told` as past_request() has it.
std::string past_text(const nlohmann::ordered_json& told, bool colours);

struct PastOptions {
  std::string request_id;
  std::vector<std::string> logs;  ///< "-": standard input
  bool json = false;
};
/// Reads all files, and tells each record of the request on stdout. kFailed if there is none, or a file cannot be read.
int explain_past(const PastOptions& options);

}  // namespace headgate::cli
