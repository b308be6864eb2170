// What is billed.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kBillingZone = text("a time zone");
constexpr Key kBillingKeys[] = {
    {"keep", &kDuration, "40d", R"("40d")", "How long a day stays in Redis after its end: 2 to 366 days"},
    {"time_zone", &kBillingZone, "UTC", R"("Europe/Vienna")", "The zone whose days are summed"},
};

}  // namespace

constexpr Section kBillingSection{"billing", "billing",
                                  "How the use of limits with `bill` is summed; see docs/billing.md.", kBillingKeys};

}  // namespace headgate::config
