// Where a route's requests go.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kSplitUpstream = text("an upstream's name");
constexpr Shape kSplitWeight = integer(0, 1'000'000);
constexpr Shape kWhenValue = text("a field value", check_field_value);
constexpr Shape kWhenHeaders = map("an object of values by field name", kWhenValue, 1, check_field_name);
constexpr Shape kWhenCookies = map("an object of values by cookie", kWhenValue, 1, check_cookie_name);
constexpr Key kSplitWhenKeys[] = {
    {"header", &kWhenHeaders, "", R"({ "X-Canary": "1" })", "One of these fields has this value"},
    {"cookie", &kWhenCookies, "", R"({ "canary": "1" })", "One of these cookies has this value"},
};
constexpr Section kSplitWhenSection{
    "split_when", "routes[].to[].when",
    "A request that asks for this upstream gets it, whatever the weights say. Any caller may ask.", kSplitWhenKeys};
constexpr Shape kSplitWhenShape = section(kSplitWhenSection);
constexpr Key kSplitShareKeys[] = {
    {"upstream", &kSplitUpstream, "", R"("api-next")", "The upstream", required},
    {"weight", &kSplitWeight, "", "5",
     "Its part of the sum of all weights; default: 1, or 0 with `when`. With 0 it gets only requests that ask for it"},
    {"when", &kSplitWhenShape, "", R"({ "header": { "X-Canary": "1" } })", "What asks for it"},
};
constexpr Section kSplitShareSection{"share", "routes[].to[]", "One of several upstreams of a route.", kSplitShareKeys};
constexpr Shape kSplitShareShape = section(kSplitShareSection);
constexpr Shape kSplitShares = list("a list of upstreams", kSplitShareShape, 1, 16);
constexpr const Shape* kToForms[] = {&kSplitUpstream, &kSplitShares};
constexpr Shape kSplitPer{.form = Form::text, .what = "what to split by", .check = check_per, .registered = per_words};
constexpr Shape kSplitPers = list("a list of what to split by", kSplitPer, 1, 8);
constexpr const Shape* kSplitByForms[] = {&kSplitPer, &kSplitPers};

}  // namespace

constexpr Shape kToShape = either("an upstream's name or a list of upstreams", kToForms);
constexpr Shape kSplitByShape{.form = Form::either,
                              .what = "what to split by, or a list of that",
                              .registered = per_words,
                              .forms = kSplitByForms};

}  // namespace headgate::config
