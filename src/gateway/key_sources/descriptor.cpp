// A value of a descriptor, in calls of Envoy's rate limit service.

#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway::key_source {
namespace {

constexpr std::size_t kLongestDescriptorKey = 128;
/// The key of an empty value. Without it, a client that sends an empty field would end the whole call with an error,
/// and the proxy could let its request pass.
constexpr std::string_view kEmptyValue = "(empty)";

}  // namespace

extern const KeySource descriptor;
const KeySource descriptor{
    .word = "descriptor:",
    .example = "descriptor:remote_address",
    .name = {.placeholder = "<key>",
             .what = "descriptor",
             .help = R"(write the key of a descriptor after the colon, as in "descriptor:remote_address")",
             .read =
                 [](std::string_view written) {
                   const bool good = !written.empty() && written.size() <= kLongestDescriptorKey;
                   return good ? std::optional(std::string(written)) : std::nullopt;
                 }},
    .needs = Needs::descriptor,
    .noun = [](std::string_view name) { return "value of descriptor " + std::string(name); },
    .missing = "A descriptor that calls are counted by is missing.",
    // No limit counts by a key that a descriptor has twice. The value is copied, because log and metrics are written
    // after the call has ended.
    .value =
        [](Exchange& x, std::string_view name) {
          const auto* const value = x.rate_limit == nullptr ? nullptr : x.rate_limit->value(name);
          if (value == nullptr) return std::string_view{};
          return value->empty() ? kEmptyValue : x.text.join({*value});
        },
    .tier = {.value =
                 [](const Exchange& x, std::string_view name) {
                   const auto* const value = x.rate_limit == nullptr ? nullptr : x.rate_limit->value(name);
                   return value == nullptr ? std::string_view{} : std::string_view(*value);
                 },
             .noun = [](std::string_view name) { return "the value of descriptor " + std::string(name); }}};

}  // namespace headgate::gateway::key_source
