// A segment of the path, at the place of {name} in the route's path.

#include "headgate/http/path.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {
namespace {

/// Returns the segment of `path` at the place of {name} in `pattern`, without its own parameters, as the router reads
/// it.
std::string_view path_parameter(std::string_view pattern, std::string_view path, std::string_view name) noexcept {
  while (!pattern.empty()) {
    const auto wanted = http::next_segment(pattern);
    const auto segment = http::next_segment(path);
    const bool here =
        wanted.size() == name.size() + 2 && wanted.front() == '{' && wanted.substr(1, name.size()) == name;
    if (here) return segment.substr(0, segment.find(';'));
  }
  return {};
}

}  // namespace

extern const KeySource path;
const KeySource path{
    .word = "path:",
    .example = "path:account",
    .name = {.placeholder = "<parameter>",
             .what = "parameter of a path",
             .help = R"(write the parameter's name after the colon, as in "path:account" for "/accounts/{account}")",
             .read =
                 [](std::string_view written) {
                   return is_path_parameter(written) ? std::optional(std::string(written)) : std::nullopt;
                 }},
    .needs = Needs::path_parameter,
    .noun = [](std::string_view name) { return "{" + std::string(name) + "} of the path"; },
    .missing = "A part of the path that requests are counted by is missing.",
    // If the server ignores case, spellings that differ only in case name the same resource.
    .value =
        [](Exchange& x, std::string_view name) {
          const auto value = path_parameter(x.route->path, x.request.path, name);
          return x.route->letters == Case::ignored ? x.text.join({http::fold_case(value)}) : value;
        }};

}  // namespace headgate::gateway::key_source
