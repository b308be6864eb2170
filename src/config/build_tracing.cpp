// Traces of requests over several services.

#include "build.hpp"
#include "formats.hpp"
#include "values.hpp"

namespace headgate::config {
namespace {

constexpr std::uint32_t kDefaultSample = 10'000;  // millionths

}  // namespace

std::optional<LiteralError> check_sample(std::string_view text) {
  const auto sample = parse_sample(text);
  if (sample.has_value()) return std::nullopt;
  return sample.error();
}

void build_tracing(Build& build) {
  const Node* written = find(&build.root, "tracing");
  if (written == nullptr || written->kind != Kind::object) return;
  auto& out = build.config.gateway.tracing.emplace();
  auto sample = kDefaultSample;
  if (const Node* text = text_at(written, "sample"))
    if (const auto read = parse_sample(text->text); read.has_value()) sample = *read;
  out.sample_below = observe::share_below(sample);
  read(written, "parent_based", out.parent_based);
}

}  // namespace headgate::config
