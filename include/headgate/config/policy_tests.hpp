#pragma once
// Files of policy tests: requests, and what a configuration does with them. Read with the place of everything that may
// turn out otherwise.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"
#include "headgate/core/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headgate::config {

/// Where something is written; as in Diagnostic.
struct TestPlace {
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t end_column = 0;
  std::string pointer{};
};

template <class Value>
struct Placed {
  Value value{};
  TestPlace place{};
};

/// What an answer has in a field of this name.
struct ExpectedField {
  std::string name;
  /// A text: this value, and no other. True: any. False: it has no such field.
  std::variant<bool, std::string> value;
  TestPlace place;
};

/// What a step expects. What is not set is not compared.
struct Expectation {
  // Of all requests of the step.
  std::optional<Placed<std::uint64_t>> allowed;
  std::optional<Placed<std::uint64_t>> rejected;
  std::optional<Placed<std::uint64_t>> refused;
  // Of the last one.
  std::optional<Placed<unsigned>> status;
  std::optional<Placed<std::string>> limit;
  std::optional<Placed<std::string>> tier;
  std::optional<Placed<Duration>> retry_after;
  std::optional<Placed<std::uint64_t>> remaining;
  std::optional<Placed<std::string>> route;
  std::optional<Placed<std::string>> upstream;
  std::optional<Placed<Duration>> took;
  std::vector<ExpectedField> fields;
};

using TestFields = std::vector<std::pair<std::string, std::string>>;

/// What the server of a request answers.
struct TestAnswer {
  unsigned status = 200;
  TestFields fields{};
  std::uint64_t bytes = 0;  ///< of its body
  Duration after{0};
};

/// A client's certificate; texts as in net::PeerCertificate.
struct TestCertificate {
  std::string subject;
  std::string names;
  std::string sha256;
};

/// A request, once or several times.
struct SendStep {
  std::string method;
  std::optional<bool> tls;  ///< not set: its URL is a path alone
  std::string host;
  std::string path;
  std::string query;  ///< with its '?', or empty
  std::string ip = "192.0.2.1";
  TestFields fields{};
  std::string claims{};  ///< a JSON object; empty: none
  std::optional<Placed<std::string>> api_key_owner{};
  std::optional<Placed<std::string>> user{};  ///< of basic authentication
  std::optional<TestCertificate> certificate{};
  std::uint64_t bytes = 0;  ///< of its body
  std::uint64_t times = 1;
  TestAnswer answer{};
  Expectation expect{};
};
/// Time passes.
struct WaitStep {
  Duration time{0};
};
/// Redis goes away, or comes back.
struct RedisStep {
  bool up = false;
};

struct TestStep {
  std::variant<SendStep, WaitStep, RedisStep> what;
  TestPlace place;  ///< of the value that says what it does
};

struct PolicyTest {
  Placed<std::string> name;
  Instant start;  ///< what time it is at its beginning
  std::vector<TestStep> steps;
};

struct PolicyTests {
  Placed<std::string> config;  ///< the path of the configuration, from the working directory
  std::vector<PolicyTest> tests;
};

struct LoadedPolicyTests {
  std::optional<PolicyTests> file;      ///< absent if there is an error
  std::vector<Diagnostic> diagnostics;  ///< all of them, sorted by position
};

/// Parses and checks `source`, JSON with comments and trailing commas. Paths in it begin at `directory`; "" means the
/// working directory. Reads nothing else: what names mean in the configuration is not looked at.
LoadedPolicyTests load_policy_tests(std::string_view source, const std::string& directory = {});

/// What the steps name and `config` has not, at most 100 times; `keys` are those that it knows.
std::vector<Diagnostic> check_names(const PolicyTests& tests, const Config& config,
                                    std::span<const identity::ApiKeyRecord> keys);
/// The configuration cannot be used, because of this sentence without its dot.
Diagnostic wrong_config(const PolicyTests& tests, std::string why);

/// JSON Schema (draft 2020-12) of such a file, from the table that load_policy_tests() checks it by.
std::string policy_tests_schema();

/// The tables of docs/policy_tests.md, from the same table.
std::string policy_tests_reference();

}  // namespace headgate::config
