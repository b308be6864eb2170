// What keeps callers on https.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kHttpsPort = integer(1, 65'535);
constexpr const Shape* kRedirectForms[] = {&kBoolean, &kHttpsPort};
constexpr Shape kMaxAge = text("a time", check_max_age);
constexpr Key kHstsKeys[] = {
    {"max_age", &kMaxAge, "", R"("1y")", "How long a browser remembers it: up to `10y`; `0s` makes it forget",
     required},
    {"include_subdomains", &kBoolean, "false", "true", "Whether it holds for every host below, too"},
    {"preload", &kBoolean, "false", "true",
     "Whether browsers may take the host into their built-in lists, which is hard to undo"},
};
constexpr Section kHstsSection{
    "hsts", "hsts", "Answers to clients with TLS have `Strict-Transport-Security`: a time, or an object.", kHstsKeys};
constexpr Shape kHstsObject = section(kHstsSection);
constexpr const Shape* kHstsForms[] = {&kMaxAge, &kHstsObject};

}  // namespace

constexpr Shape kRedirectToHttps = either("true, false or a port", kRedirectForms);
constexpr Shape kHsts = either("a time or an object", kHstsForms);

}  // namespace headgate::config
