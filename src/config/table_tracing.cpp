// Traces of requests over several services.

#include "table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kTraceSample = text("a share", check_sample);
constexpr Key kTracingKeys[] = {
    {"sample", &kTraceSample, "1%", R"("1%")",
     "The share of traces that is recorded, where the caller does not say: `0%` to `100%`, as in `0.1%`"},
    {"parent_based", &kBoolean, "true", "false",
     "Whether a request that belongs to a trace already is recorded if its caller records it; `false`: `sample` "
     "decides "
     "alone"},
};

}  // namespace

constexpr Section kTracingSection{"tracing", "tracing",
                                  "Requests are parts of traces (`traceparent`); see docs/tracing.md.", kTracingKeys};

}  // namespace headgate::config
