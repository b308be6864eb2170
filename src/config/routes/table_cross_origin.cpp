// Cross-origin requests.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kOrigin = text("an origin", check_origin);
constexpr Shape kOriginList = list("a list of origins", kOrigin, 1, 100);
constexpr const Shape* kOriginForms[] = {&kOrigin, &kOriginList};
constexpr Shape kOrigins = either("an origin or a list of origins", kOriginForms);
constexpr Shape kCorsMethod = text("a method", check_method);
constexpr Shape kCorsMethods = list("a list of methods", kCorsMethod, 1, 64);
constexpr Shape kCorsFields = list("a list of field names", kHeaderName, 0, 64);
constexpr std::string_view kAnyField[] = {"*"};
constexpr Shape kAnyFieldWord = choice(kAnyField);
constexpr const Shape* kCorsHeaderForms[] = {&kAnyFieldWord, &kCorsFields};
constexpr Shape kCorsHeaders = either("`*` or a list of field names", kCorsHeaderForms);
constexpr Key kCorsKeys[] = {
    {"origins", &kOrigins, "", R"(["https://app.example.com", "https://*.example.org"])",
     "The pages that may use the answers, by scheme, host and port: `https://*.example.org` stands for every host "
     "below, "
     "`*` for every page, `null` for files and sandboxed frames",
     required},
    {"methods", &kCorsMethods, "", R"(["GET", "POST"])",
     "The methods that a page may use; default: those of the routes for the path"},
    {"headers", &kCorsHeaders, R"(["Authorization", "Content-Type"])", R"(["Authorization", "X-Tenant"])",
     "The fields that a page may send, beside those that it always may; `*` for any"},
    {"expose", &kCorsFields, "[]", R"(["X-Total-Count"])",
     "Fields of answers that a page may read, beside `Retry-After`, the `RateLimit` fields, `X-Request-Id`, "
     "`Appointment`, `Waiting-Room-Ticket` and those that it always may"},
    {"credentials", &kBoolean, "false", "true",
     "Whether a page may use the cookies and certificates of the browser; then `origins` names them"},
    {"max_age", &kDelay, "10m", R"("1h")",
     "How long a browser may remember the answer to a preflight; browsers cut it at two hours or a day"},
};
constexpr Section kCorsSection{"cors", "all_routes.cors",
                               "Which pages of other origins may use a route from a browser: an object, or `\"off\"`. "
                               "The gateway answers preflights "
                               "itself.",
                               kCorsKeys};
constexpr Shape kCorsObject = section(kCorsSection);
constexpr std::string_view kOffWord[] = {"off"};
constexpr Shape kCorsOff = choice(kOffWord);
constexpr const Shape* kCorsForms[] = {&kCorsObject, &kCorsOff};

}  // namespace

constexpr Shape kCorsShape = either("an object or \"off\"", kCorsForms);

}  // namespace headgate::config
