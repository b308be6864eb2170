#include "config/policy_tests/words.hpp"

#include "config/table_shapes.hpp"
#include "config/text/report.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/http/url.hpp"
#include "headgate/identity/expiry.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <limits>

namespace headgate::config {
namespace {

constexpr std::uint64_t kMaxTimes = 1'000'000;
constexpr std::string_view kSentExample = R"(write "GET /items", or "GET https://api.example.com/items")";

std::optional<LiteralError> check_sent(std::string_view text) {
  const auto read = read_sent(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_moment(std::string_view text) {
  const auto read = read_moment(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_address(std::string_view text) {
  error_code wrong;
  boost::asio::ip::make_address(text, wrong);
  if (!wrong) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not an address", R"(write "203.0.113.9" or "2001:db8::9")"};
}

bool is_field_text(std::string_view text) noexcept {
  return std::ranges::none_of(text, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; });
}

std::optional<LiteralError> check_sent_field(std::string_view text) {
  if (text.size() <= 8'192 && is_field_text(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be the value of a field",
                      "write at most 8192 characters, without line ends"};
}

std::optional<LiteralError> check_test_name(std::string_view text) {
  if (!text.empty() && text.size() <= 200 && is_field_text(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be a test's name", "write a sentence of at most 200 bytes"};
}

std::optional<LiteralError> check_domain(std::string_view text) {
  if (!text.empty()) return std::nullopt;
  return LiteralError{"a domain is not empty", R"(write the "domain" of an entry of "decide")"};
}

std::optional<LiteralError> check_certificate_text(std::string_view text) {
  const auto printable = [](unsigned char c) { return c >= ' ' && c < 0x7F; };
  if (!text.empty() && text.size() <= 1'024 && std::ranges::all_of(text, printable)) return std::nullopt;
  return LiteralError{in_quotes(text) + " is nothing that a certificate says",
                      "write 1 to 1024 printable ASCII characters, as in \"CN=billing,O=Example\""};
}

constexpr Shape kSent = text("a method and a URL or a path", check_sent);
constexpr Shape kTestAddress = text("an address", check_address);
constexpr Shape kSentField = text("a field's value", check_sent_field);
constexpr Shape kSentFields = list("a list of values", kSentField, 1, 100);
constexpr const Shape* kSentFieldForms[] = {&kSentField, &kSentFields};
constexpr Shape kSentFieldOrFields = either("a field's value or a list of them", kSentFieldForms);
constexpr Shape kSentHeaders = map("an object of fields", kSentFieldOrFields, 0, check_field_name);
constexpr Shape kClaims{.form = Shape::Form::json, .what = "an object"};
constexpr Shape kTimes = integer(1, kMaxTimes);
constexpr Shape kBytes = size(0, std::uint64_t{1} << 40U);
constexpr Shape kHowMany = integer(0, kMaxTimes);
constexpr Shape kRemaining = integer(0, std::uint64_t{1} << 53U);
constexpr Shape kAnswerStatus = integer(200, 599);
constexpr Shape kRedisState = choice(kRedisStates);
constexpr Shape kCertificateText = text("text", check_certificate_text);

constexpr Key kShownCertificateKeys[] = {
    {"subject", &kCertificateText, "", R"("CN=billing,O=Example")", "Subject, in the form of RFC 4514"},
    {"san", &kCertificateText, "", R"("DNS:billing.example")", "Alternative names, separated by commas"},
    {"sha256", &kCertificateText, "", R"("e3b0c44298fc1c14…")", "SHA-256: 64 hexadecimal digits"},
};
constexpr Section kCertificateSection{"certificate", "tests[].steps[].certificate", "A verified client certificate.",
                                      kShownCertificateKeys};
constexpr Shape kShownCertificate = section(kCertificateSection);

constexpr Shape kJsonBody{.form = Shape::Form::json, .what = "an object"};
constexpr Key kAnswerKeys[] = {
    {"status", &kAnswerStatus, "200", "404", "Status"},
    {"headers", &kSentHeaders, "{}", R"({ "X-Cost": "5" })", "Fields"},
    {"body", &kBytes, "\"0B\"", R"("2MiB")", "Size of the body"},
    {"json", &kJsonBody, "", R"({ "usage": { "total_tokens": 42 } })", "Body in JSON, in place of `body`"},
    {"after", &kDelay, "\"0s\"", R"("250ms")", "Time that the server takes"},
};
constexpr Section kAnswerSection{"answer", "tests[].steps[].answer", "The server's answer to each request.",
                                 kAnswerKeys};
constexpr Shape kAnswerShape = section(kAnswerSection);

constexpr const Shape* kExpectedFieldForms[] = {&kSentField, &kBoolean};
constexpr Shape kExpectedField = either("a value, or true or false", kExpectedFieldForms);
constexpr Shape kExpectedFields = map("an object of fields", kExpectedField, 0, check_field_name);
constexpr std::string_view kCodes[] = {"OK", "OVER_LIMIT", "UNAVAILABLE", "INVALID_ARGUMENT"};
constexpr Shape kCode = choice(kCodes);
constexpr std::string_view kDescriptorCodes[] = {"OK", "OVER_LIMIT"};
constexpr Shape kDescriptorCode = choice(kDescriptorCodes);
constexpr Shape kCodeList = list("a list of codes", kDescriptorCode, 1, 64);
constexpr Key kExpectKeys[] = {
    {"allowed", &kHowMany, "", "10",
     "Requests of the step that reached a server or got the answer of their route, and calls with the code `OK`"},
    {"rejected", &kHowMany, "", "2",
     "Requests and calls that a limit, a suspension, a waiting room or load shedding rejected"},
    {"refused", &kHowMany, "", "0", "Requests refused for other reasons: no route, no valid credential, malformed"},
    {"status", &kCountedStatus, "", "429", "Status of the last answer"},
    {"limit", &kText, "", R"("per-ip")",
     "Limit that rejected the last request, or whose numbers its answer has: the one closest to exhausted"},
    {"tier", &kText, "", R"("free")", "Tier of this limit"},
    {"retry_after", &kDuration, "", R"("6s")", "`Retry-After` of the last answer, in seconds"},
    {"remaining", &kRemaining, "", "0", "Remaining permits of `limit` after the last request; 0 if it was rejected"},
    {"route", &kText, "", R"("orders")", "Route of the last request"},
    {"upstream", &kText, "", R"("api")", "Upstream of the last request"},
    {"took", &kDelay, "", R"("250ms")",
     "Time from the last request to the end of its answer: the wait for a permit, plus `after`"},
    {"headers", &kExpectedFields, "", R"({ "RateLimit": "\"per-ip\";r=0;t=6", "Set-Cookie": false })",
     "Fields of the last answer: a value, `true` for any value, or `false` if the field must be absent"},
    {"code", &kCode, "", R"("OVER_LIMIT")",
     "Code of the last call of the rate limit service, or the gRPC status with which it failed"},
    {"codes", &kCodeList, "", R"(["OK", "OVER_LIMIT"])", "Codes of the descriptors of the last call"},
};
constexpr Section kExpectSection{"expect", "tests[].steps[].expect",
                                 "Expected result. `allowed`, `rejected` and `refused` count the requests of the step; "
                                 "all other keys describe the last answer.",
                                 kExpectKeys};
constexpr Shape kExpectShape = section(kExpectSection);

constexpr Shape kSentDomain = text("a domain", check_domain);
constexpr Shape kSentDescriptor = map("an object of keys and values", kText, 1);
constexpr Shape kSentDescriptors = list("a list of descriptors", kSentDescriptor, 1, 64);
constexpr Shape kHits = integer(1, std::numeric_limits<std::uint32_t>::max());

constexpr Key kStepKeys[] = {
    {"send", &kSent, "", R"("GET /items")",
     "Request: a method, and a URL or path. For a path alone, the host is `localhost`, with TLS if every listener has "
     "it"},
    {"domain", &kSentDomain, "", R"("edge")",
     "Call of the [rate limit service](rate_limit_service.md) about descriptors of this domain, with `descriptors`"},
    {"wait", &kDuration, "", R"("6s")", "Moves the clock forward; nothing else does"},
    {"redis", &kRedisState, "", R"("down")", "Makes Redis unavailable, or available again"},
    {"descriptors", &kSentDescriptors, "", R"([{ "generic_key": "login", "remote_address": "203.0.113.9" }])",
     "Descriptors of the call, which are decided together"},
    {"hits", &kHits, "1", "5", "Hits of each descriptor"},
    {"ip", &kTestAddress, "\"192.0.2.1\"", R"("203.0.113.9")", "Address of the client"},
    {"headers", &kSentHeaders, "{}", R"({ "X-Forwarded-For": "198.51.100.7" })", "Fields of the request"},
    {"claims", &kClaims, "", R"({ "sub": "ann", "plan": "pro" })",
     "Claims of the token, which counts as signed by its issuer. `iss`, `aud` and `iat` have valid values unless "
     "given"},
    {"api_key_owner", &kText, "", R"("acme")", "Owner of the API key, as named in the configuration or its key file"},
    {"user", &kText, "", R"("ann")",
     "User of basic authentication, from the file of a route; the password counts as right"},
    {"certificate", &kShownCertificate, "", R"({ "subject": "CN=billing" })", "Client certificate"},
    {"body", &kBytes, "\"0B\"", R"("2MiB")", "Size of the body"},
    {"json", &kJsonBody, "", R"({ "model": "m", "max_tokens": 100 })", "Body in JSON, in place of `body`"},
    {"times", &kTimes, "1", "12", "Number of times it is sent, all at the same moment"},
    {"answer", &kAnswerShape, "", R"({ "status": 404, "after": "250ms" })", "The server's answer"},
    {"expect", &kExpectShape, "", R"({ "allowed": 10, "rejected": 2 })", "Expected result"},
};
constexpr std::string_view kStepKinds[] = {"send", "domain", "wait", "redis"};
constexpr Section kStepSection{"step", "tests[].steps[]", "One step.", kStepKeys, {}, kStepKinds};
constexpr Shape kTestStep = section(kStepSection);
constexpr Shape kSteps = list("a list of steps", kTestStep, 1);

constexpr Shape kTestName = text("a sentence", check_test_name);
constexpr Shape kMoment = text("a moment of RFC 3339", check_moment);
constexpr Key kTestKeys[] = {
    {"name", &kTestName, "", R"("a free plan has 60 requests a minute")", "What the test shows", required},
    {"start", &kMoment, "\"2026-01-01T00:00:00Z\"", R"("2026-01-31T23:59:00Z")",
     "Time at the start of the test, for limits per day or month and for tokens that expire"},
    {"steps", &kSteps, "", R"([{ "send": "GET /items", "expect": { "status": 200 } }])",
     "The steps, in order. Each test starts with all permits unused", required},
};
constexpr Section kTestSection{"test", "tests[]", "One test.", kTestKeys};
constexpr Shape kTest = section(kTestSection);
constexpr Shape kTests = list("a list of tests", kTest, 1);

constexpr Key kFileKeys[] = {
    {"$schema", &kText, "", R"("./headgate.test.schema.json")", "Schema for editors; headgate does not read it"},
    {"config", &kFilePath, "", R"("headgate.json")", "The configuration, relative to the directory of this file",
     required},
    {"tests", &kTests, "", R"([{ "name": "…", "steps": […] }])", "The tests", required},
};

LiteralError no_request(std::string message) { return {std::move(message), std::string(kSentExample)}; }

}  // namespace

constexpr Section kPolicyTestsSection{"tests", "", "The whole file.", kFileKeys};

Result<SentLine, LiteralError> read_sent(std::string_view text) {
  const auto space = text.find(' ');
  SentLine out;
  out.method = text.substr(0, space);
  if (space == std::string_view::npos || !http::is_token(out.method))
    return no_request(in_quotes(text) + " is not a request: a method, a blank, and a URL or a path");
  const auto target = text.substr(space + 1);
  if (std::ranges::any_of(target, [](unsigned char c) { return c <= ' ' || c == 0x7F; }) || target.size() > 8'192)
    return no_request(in_quotes(text) + " is not a request: its target has a blank or is too long");
  const auto url = http::split_url(target);
  const bool whole = !url.scheme.empty();
  if (whole && ((url.scheme != "http" && url.scheme != "https") || url.host_port.empty() || url.user))
    return no_request(in_quotes(text) + " is not a request: the URL begins with http:// or https:// and a host");
  if (!whole && !target.starts_with('/') && target != "*")
    return no_request(in_quotes(text) + " is not a request: the path begins with a slash");
  auto rest = whole ? url.rest : target;
  rest = rest.substr(0, rest.find('#'));
  const auto query = std::min(rest.find('?'), rest.size());
  if (whole) out.tls = url.scheme == "https";
  out.host = whole ? url.host_port : "localhost";
  out.path = query == 0 ? "/" : rest.substr(0, query);
  out.query = rest.substr(query);
  return out;
}

Result<Instant, LiteralError> read_moment(std::string_view text) {
  const auto read = identity::parse_expiry(text);
  if (read.has_value() && text.find('T') != std::string_view::npos) return *read;
  return LiteralError{in_quotes(text) + " is not a moment", "write \"" + std::string(kFirstMoment) + "\""};
}

}  // namespace headgate::config
