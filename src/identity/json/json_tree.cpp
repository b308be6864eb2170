#include "json_tree.hpp"

#include "json_object.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <utility>
#include <vector>

namespace headgate::identity {
namespace {

using Json = nlohmann::json;
using Event = Json::parse_event_t;

/// Detects errors in a text that the library's parser accepts.
class Watch {
 public:
  /// Handles an event of the parser. Returns whether no error has been found so far; after an error, the parser stores
  /// nothing more.
  bool operator()(int depth, Event event, const Json& parsed) {
    if (!objection_.empty()) return false;
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end) names_.pop_back();
    if ((event == Event::object_start || event == Event::array_start) && depth >= kMaxJsonDepth) {
      objection_ = "it nests deeper than " + std::to_string(kMaxJsonDepth) + " levels";
    } else if (event == Event::key && !names_.back().insert(parsed.get<std::string>()).second) {
      objection_ = "it names a member twice";
    }
    return objection_.empty();
  }
  const std::string& objection() const noexcept { return objection_; }

 private:
  std::vector<std::set<std::string>> names_;  // names of the members of the open objects
  std::string objection_;
};

/// Returns whether the library would read all of `json`. It treats a NUL as the end and skips a byte order mark; JSON
/// allows neither.
bool is_plain_text(std::string_view json) noexcept {
  return json.find('\0') == json.npos && !json.starts_with("\xef\xbb\xbf");
}

}  // namespace

Result<JsonTree, std::string> read_json_tree(std::string_view json) {
  if (!is_plain_text(json)) return std::string("it is not JSON");
  Watch watch;
  auto tree = Json::parse(
      json.begin(), json.end(),
      [&watch](int depth, Event event, const Json& parsed) { return watch(depth, event, parsed); },
      /*allow_exceptions=*/false);
  if (!watch.objection().empty()) return watch.objection();
  if (tree.is_discarded()) return std::string("it is not JSON");
  return JsonTree(std::make_shared<const Json>(std::move(tree)));
}

}  // namespace headgate::identity
