// The table of the settings of Envoy's reference rate limit service.

#include "translate/products.hpp"
#include "translate/words.hpp"

#include <array>

namespace headgate::translate {
namespace {

constexpr std::string_view kOnlyMetrics = "it only changes metrics";

constexpr std::array kRateWords{
    ImportWord{.name = "domain", .becomes = "domain"},
    ImportWord{.name = "descriptors", .becomes = "decide"},
    ImportWord{.name = "key", .becomes = "match, per"},
    ImportWord{.name = "value", .becomes = "match"},
    ImportWord{.name = "rate_limit", .becomes = "limits"},
    ImportWord{.name = "requests_per_unit", .becomes = "rate"},
    ImportWord{.name = "unit", .becomes = "rate, algorithm"},
    ImportWord{.name = "unlimited", .becomes = "limits"},
    ImportWord{.name = "name", .becomes = "limits"},
    ImportWord{.name = "replaces", .becomes = "replaces"},
    ImportWord{.name = "shadow_mode", .becomes = "mode"},
    ImportWord{.name = "quota_mode", .becomes = "mode"},
    ImportWord{.name = "share_threshold", .becomes = "per"},
    ImportWord{"metadata", Matter::lost, "headgate adds no text of yours to the answers of descriptors"},
    ImportWord{"detailed_metric", Matter::aside, kOnlyMetrics},
    ImportWord{"value_to_metric", Matter::aside, kOnlyMetrics}};

}  // namespace

std::span<const ImportWord> ratelimit_words() { return kRateWords; }

}  // namespace headgate::translate
