#pragma once
// Runs headgate in front of a fake upstream.

#include "blackbox/harness/fake_upstream.hpp"
#include "blackbox/harness/process.hpp"
#include "blackbox/harness/raw_client.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::test {

using Json = nlohmann::json;

/// A running `headgate run`. The destructor ends it with SIGTERM. The test fails if it does not exit with 0 in time, or
/// if a sanitizer reports something.
class Gateway {
 public:
  /// Waits until it listens. If it does not, the test fails and shows its output.
  explicit Gateway(const Json& config, const std::vector<std::string>& environment = {});
  /// The same with another command line. `listeners` is how many addresses it must report.
  explicit Gateway(const Words& arguments, std::size_t listeners = 1, const std::vector<std::string>& environment = {});
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;
  ~Gateway();

  std::uint16_t port(std::size_t listener = 0) const { return listener < ports_.size() ? ports_[listener] : 0; }
  /// A connection to the first listener, with TLS if that has TLS.
  RawClient client(const std::string& source = "") const;
  Process& process() { return *process_; }

  /// Sends SIGTERM and returns the exit code; -1 if it still runs after `within`.
  int terminate(Milliseconds within = kPatience);
  /// The test ends the process itself. The exit code is not checked then.
  void expect_any_end() { any_end_ = true; }
  std::size_t resident_kib() const;

 private:
  void find_ports(std::size_t listeners);

  std::unique_ptr<TemporaryFile> file_;
  std::unique_ptr<Process> process_;
  std::vector<std::uint16_t> ports_;
  bool any_end_ = false;
  bool secure_ = false;
};

/// One upstream "app", one route "/*" to it, one listener on 127.0.0.1, one worker, no admin listener. `changes` is
/// merged into it (RFC 7396: null removes). With HEADGATE_TEST_TLS in the environment of the tests every listener has
/// TLS, so that tests of anything else can be run over it.
Json config_for(const FakeUpstream& upstream, const Json& changes = Json::object());

/// A gateway in front of one fake upstream, for most tests.
struct Proxy {
  explicit Proxy(const Json& changes = Json::object(), const std::vector<std::string>& environment = {})
      : gateway(config_for(upstream, changes), environment) {}

  RawClient client(const std::string& source = "") const { return gateway.client(source); }
  /// The last request that the upstream received.
  Message forwarded() const { return upstream.last().message; }

  FakeUpstream upstream;
  Gateway gateway;
};

/// Fails the test if `answer` is not application/problem+json with this status and all our members.
void expect_problem(const Message& answer, int status);

}  // namespace headgate::test
