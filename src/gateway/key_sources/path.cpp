// A segment of the path, where the route's path has {name}.

#include "headgate/http/path.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {
namespace {

/// The segment of `path` that stands where `pattern` has {name}, without its own parameters, as the router reads it.
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
             .help = R"(write the parameter behind the colon, as in "path:account" for "/accounts/{account}")",
             .read =
                 [](std::string_view written) {
                   return is_path_parameter(written) ? std::optional(std::string(written)) : std::nullopt;
                 }},
    .needs = Needs::path_parameter,
    .noun = [](std::string_view name) { return "{" + std::string(name) + "} of the path"; },
    .missing = "A part of the path that requests are counted by is missing.",
    // Where the server behind takes letters of either case for the same, they name the same thing.
    .value =
        [](Exchange& x, std::string_view name) {
          const auto value = path_parameter(x.route->path, x.request.path, name);
          return x.route->letters == Case::ignored ? x.text.join({http::fold_case(value)}) : value;
        }};

}  // namespace headgate::gateway::key_source
