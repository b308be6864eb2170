#pragma once
// Files of policy tests, which say how a configuration must treat requests. Each value that a message may refer to is
// stored with its place in the file.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"
#include "headgate/core/time.hpp"
#include "headgate/envoy/rate_limit_service.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headgate::config {

/// The place where a value is written, as in Diagnostic.
struct TestPlace {
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t end_column = 0;
  std::string pointer{};
};

template <class Value>
struct ValueWithPlace {
  Value value{};
  TestPlace place{};
};

/// The expected value of a field in the answer.
struct ExpectedField {
  std::string name;
  /// A text accepts only this value; true accepts any value; false requires that the field is missing.
  std::variant<bool, std::string> value;
  TestPlace place;
};

/// The expected result of a step. Values that are not set are not compared.
struct Expectation {
  // Numbers of requests, among all requests of the step.
  std::optional<ValueWithPlace<std::uint64_t>> allowed;
  std::optional<ValueWithPlace<std::uint64_t>> rejected;
  std::optional<ValueWithPlace<std::uint64_t>> refused;
  // Values of the last request of the step and of its answer.
  std::optional<ValueWithPlace<unsigned>> status;
  std::optional<ValueWithPlace<std::string>> limit;
  std::optional<ValueWithPlace<std::string>> tier;
  std::optional<ValueWithPlace<Duration>> retry_after;
  std::optional<ValueWithPlace<std::uint64_t>> remaining;
  std::optional<ValueWithPlace<std::string>> route;
  std::optional<ValueWithPlace<std::string>> upstream;
  std::optional<ValueWithPlace<Duration>> took;
  std::vector<ExpectedField> fields;
  // Values of the last call of the rate limit service: its code, and the codes of its descriptors.
  std::optional<ValueWithPlace<std::string>> code;
  std::optional<ValueWithPlace<std::vector<std::string>>> codes;
};

using TestFields = std::vector<std::pair<std::string, std::string>>;

/// The answer of the upstream server to a request.
struct TestAnswer {
  unsigned status = 200;
  TestFields fields{};
  std::uint64_t bytes = 0;  ///< size of the body, in bytes
  std::string json{};       ///< the body, as compact JSON; empty for a body of zeros
  Duration after{0};
};

/// A client's certificate, with texts as in net::PeerCertificate.
struct TestCertificate {
  std::string subject;
  std::string names;
  std::string sha256;
};

/// A step that sends a request, or a call of the rate limit service, once or several times.
struct SendStep {
  std::optional<envoy::RateLimitRequest> call{};  ///< the call, with sorted entries; empty for a request
  std::string method;
  std::optional<bool> tls;  ///< use of TLS; empty if the URL is only a path
  std::string host;
  std::string path;
  std::string query;  ///< query with its '?'; empty if there is none
  std::string ip = "192.0.2.1";
  TestFields fields{};
  std::string claims{};  ///< JSON object; empty if there are no claims
  std::optional<ValueWithPlace<std::string>> api_key_owner{};
  std::optional<ValueWithPlace<std::string>> user{};  ///< user of basic authentication
  std::optional<TestCertificate> certificate{};
  std::uint64_t bytes = 0;  ///< size of the body, in bytes
  std::string json{};       ///< the body, as compact JSON; empty for a body of zeros
  std::uint64_t times = 1;
  TestAnswer answer{};
  Expectation expect{};
};
/// A step in which time passes.
struct WaitStep {
  Duration time{0};
};
/// A step in which Redis goes away or comes back.
struct RedisStep {
  bool up = false;
};

struct TestStep {
  std::variant<SendStep, WaitStep, RedisStep> what;
  TestPlace place;  ///< place of the value that says what the step does
};

struct PolicyTest {
  ValueWithPlace<std::string> name;
  Instant start;  ///< time at which the test begins
  std::vector<TestStep> steps;
};

struct PolicyTests {
  ValueWithPlace<std::string> config;  ///< path of the configuration, relative to the working directory
  std::vector<PolicyTest> tests;
};

struct LoadedPolicyTests {
  std::optional<PolicyTests> file;      ///< the tests; empty if there is an error
  std::vector<Diagnostic> diagnostics;  ///< all diagnostics, sorted by position
};

/// Parses and checks `source`, which is JSON with comments and trailing commas. Paths in it start at `directory`; empty
/// means the working directory. Reads no other file, so names are not checked against the configuration.
LoadedPolicyTests load_policy_tests(std::string_view source, const std::string& directory = {});

/// Reports each name in the steps that `config` does not have, at most 100 times. `keys` are the API keys that the
/// configuration knows.
std::vector<Diagnostic> check_names(const PolicyTests& tests, const Config& config,
                                    std::span<const identity::ApiKeyRecord> keys);
/// Returns the diagnostic for a configuration that cannot be used; `why` is a sentence without its full stop.
Diagnostic wrong_config(const PolicyTests& tests, std::string why);

/// Returns the JSON Schema (draft 2020-12) of a file of policy tests, generated from the table that load_policy_tests()
/// uses.
std::string policy_tests_schema();

/// Returns the tables of docs/policy_tests.md, generated from the same table as the schema.
std::string policy_tests_reference();

}  // namespace headgate::config
