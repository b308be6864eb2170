// What routes change in messages: paths, fields, names of servers, and answers of their own.

#include "config/formats/edits.hpp"
#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

// fields

constexpr Shape kFieldTemplate = text("a field value", check_field_template);
constexpr Shape kRequestSet = map("an object of values by field", kFieldTemplate, 0, check_request_field);
constexpr Shape kResponseSet = map("an object of values by field", kFieldTemplate, 0, check_response_field);
constexpr Shape kRequestName = text("a field name", check_request_field);
constexpr Shape kResponseName = text("a field name", check_response_field);
constexpr Shape kRequestNames = list("a list of field names", kRequestName, 0, 64);
constexpr Shape kResponseNames = list("a list of field names", kResponseName, 0, 64);

constexpr std::string_view kVariablesDoc =
    "in place of what is there. Values may have `${client_ip}`, `${request_id}`, `${route}`, `${host}`, "
    "`${jwt.<claim>}` and `${path.<parameter>}`; a field whose value lacks one of them is not sent";
constexpr Key kRequestFieldsKeys[] = {
    {"remove", &kRequestNames, "[]", R"(["Cookie"])", "Fields that the server does not get"},
    {"set", &kRequestSet, "{}", R"({ "X-User": "${jwt.sub}" })", kVariablesDoc},
    {"add", &kRequestSet, "{}", R"({ "X-Tag": "edge" })", "The same, beside what is there"},
};
constexpr Section kRequestFields{"request_headers", "request_headers",
                                 "Changes of the fields that a server gets, first `remove`, then `set`, then `add`.",
                                 kRequestFieldsKeys};
constexpr Key kResponseFieldsKeys[] = {
    {"remove", &kResponseNames, "[]", R"(["X-Powered-By"])", "Fields of the server that the client does not get"},
    {"set", &kResponseSet, "{}", R"({ "X-Frame-Options": "DENY" })", kVariablesDoc},
    {"add", &kResponseSet, "{}", R"({ "Server-Timing": "edge" })", "The same, beside what is there"},
    {"always", &kBoolean, "false", "true",
     "Whether `set` and `add` are also for answers of the gateway itself, such as 429 and 502, where these do not "
     "already have the field"},
};
constexpr Section kResponseFields{"response_headers", "response_headers",
                                  "Changes of the fields that a client gets, first `remove`, then `set`, then `add`.",
                                  kResponseFieldsKeys};

// path

constexpr Shape kPrefix = text("a path", check_prefix);
constexpr Shape kPathTemplate = text("a path", check_path);
constexpr Key kRewriteKeys[] = {
    {"strip_prefix", &kPrefix, "", R"("/api")",
     "The beginning of the route's path that the server does not see; it gets it as `X-Forwarded-Prefix`"},
    {"add_prefix", &kPrefix, "", R"("/v2")", "Put before the path, after `strip_prefix`"},
    {"path", &kPathTemplate, "", R"("/users/{id}/*")",
     "The whole path in place of these two, with parameters of the route's path, and `/*` for what its own `/*` took"},
};
constexpr Section kRewrite{"rewrite", "routes[].rewrite",
                           "The path that the server sees. Limits, logs and metrics have the client's.", kRewriteKeys};

// redirect, respond

constexpr Shape kRedirectTo = text("an address", check_redirect_to);
constexpr Shape kRedirectStatus = integer(301, 308);
constexpr Key kRedirectKeys[] = {
    {"to", &kRedirectTo, "", R"("https://example.com/new/*")",
     "Where to: a URL or a path, with parameters of the route's path, and `/*` for what its own `/*` took; the query "
     "is "
     "kept unless this has its own",
     required},
    {"status", &kRedirectStatus, "308", "301", "301, 302, 303, 307 or 308; 307 and 308 keep the method"},
};
constexpr Section kRedirect{"redirect", "routes[].redirect", "Sends the client elsewhere.", kRedirectKeys};
constexpr Shape kStatus = integer(200, 599);
constexpr Shape kFieldValue = text("a field value", check_field_value);
constexpr Key kRespondKeys[] = {
    {"status", &kStatus, "200", "200", "Status of the answer"},
    {"body", &kText, "", R"("ok\n")", "Its body"},
    {"body_file", &kFilePath, "", R"("maintenance.html")",
     "A file with its body, at most 1MiB, in place of `body`; read when the configuration is read"},
    {"content_type", &kFieldValue, "", R"("application/json")",
     "Its `Content-Type`; default: by the name of `body_file`, else `text/plain; charset=utf-8`"},
    {"headers", &kResponseSet, "{}", R"({ "Retry-After": "300" })",
     "Its further fields, with variables as in `response_headers`"},
};

constexpr Shape kHostName = text("keep, server or a host", check_host_header);

}  // namespace

constexpr Section kRespondSection{"respond", "routes[].respond", "An answer given without an upstream.", kRespondKeys};
constexpr Shape kRequestFieldsShape = section(kRequestFields);
constexpr Shape kResponseFieldsShape = section(kResponseFields);
constexpr Shape kRewriteShape = section(kRewrite);
constexpr Shape kRedirectShape = section(kRedirect);
constexpr Shape kHostHeaderShape = kHostName;

}  // namespace headgate::config
