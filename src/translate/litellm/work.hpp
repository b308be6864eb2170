#pragma once
// Shared parts of the LiteLLM importer.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// A provider whose API headgate can pass on.
struct LlmProvider {
  std::string_view name;            ///< in front of the '/' in "model"
  std::string_view server;          ///< address of its servers; empty if the file must name it
  std::string_view path;            ///< beginning of the paths of its API
  std::string_view variable;        ///< environment variable that LiteLLM takes its key from; empty if it needs none
  std::string_view api = "openai";  ///< word for "usage"
  std::string_view field = "Authorization";  ///< request field of its key
};
/// Returns the provider of a deployment, or null. `model` begins with its name, unless `given` names it.
const LlmProvider* llm_provider(std::string_view model, std::string_view given, bool has_base) noexcept;

/// An entry of "model_list".
struct Deployment {
  const TreeNode* node = nullptr;
  const LlmProvider* provider = nullptr;
  std::string name;    ///< name that clients write
  std::string model;   ///< name that the provider knows
  std::string server;  ///< "https://host:port"
  std::string path;    ///< path in front of the provider's calls
  std::string key;     ///< the text of "api_key"; empty if the file has none
};

struct LitellmWork {
  Draft& draft;
  const TreeNode& document;
  std::vector<Deployment> deployments;
  std::vector<std::string> key_fields{"Authorization", "X-API-Key"};  ///< request fields of the keys of callers
  std::vector<std::string> limits{};                                  ///< limits of all routes, as uses
  bool money = false;                                                 ///< whether `limits` has a budget of money
  std::uint64_t budget = 0;                                           ///< the budget, in micro-units
};

/// Reads "model_list".
void take_deployments(LitellmWork& work);
/// Adds the upstreams, routes and limits of all deployments.
void put_deployments(LitellmWork& work);

/// Returns the variable in "os.environ/NAME", or an empty text.
std::string variable_in(std::string_view text);
/// Returns the name of the variable for a secret, and records it. `otherwise` is its name if `text` names none.
std::string secret_variable(LitellmWork& work, const TreeNode& node, const std::string& otherwise);
/// Returns the use of a limit whose cost is the tokens that the provider reports.
std::string token_use(const std::string& limit, std::string_view api, std::uint64_t most);

}  // namespace headgate::translate
