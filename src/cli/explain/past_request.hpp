#pragma once
// Explains a past request from its record in the access log, as JSON and for people.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headgate::cli {

/// Explains `record`, which must have the names of the format `json`; its values may be anything. The result has the
/// members of POST /api/v1/explain for the same facts. Its member `missing` lists the fields that every line has unless
/// `log.fields` excludes them.
nlohmann::ordered_json past_request(const nlohmann::ordered_json& record);
/// Returns the text for `told`, a result of past_request().
std::string past_text(const nlohmann::ordered_json& told, bool colours);

struct PastOptions {
  std::string request_id;
  std::vector<std::string> logs;  ///< "-" for standard input
  bool json = false;
};
/// Reads all files and explains each record of the request on stdout. Returns kFailed if there is none, or if a file
/// cannot be read.
int explain_past(const PastOptions& options);

}  // namespace headgate::cli
