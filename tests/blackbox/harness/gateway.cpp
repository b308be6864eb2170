#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <regex>

namespace headgate::test {

Gateway::Gateway(const Json& config, const std::vector<std::string>& environment)
    : file_(std::make_unique<TemporaryFile>(config.dump(2))),
      process_(std::make_unique<Process>(Words{"run", "-c", file_->path()}, environment)) {
  const Json& first = config["listen"].is_array() ? config["listen"].front() : config["listen"];
  secure_ = first.is_object() && first.contains("tls");
  find_ports(config["listen"].is_array() ? config["listen"].size() : 1);
}

Gateway::Gateway(const Words& arguments, std::size_t listeners, const std::vector<std::string>& environment)
    : process_(std::make_unique<Process>(arguments, environment)),
      secure_(std::getenv("HEADGATE_TEST_TLS") != nullptr) {
  find_ports(listeners);
}

void Gateway::find_ports(std::size_t listeners) {
  static const std::regex line(R"re(listening on ([^ "\n]+):(\d+))re");
  const auto found = [&](const std::string& text) {
    return static_cast<std::size_t>(
        std::distance(std::sregex_iterator(text.begin(), text.end(), line), std::sregex_iterator()));
  };
  // The character after the last digit must be there: half a line is not a port.
  const bool listens =
      process_->wait_for_err([&](const std::string& text) { return found(text) >= listeners && text.back() == '\n'; });
  const std::string text = process_->err();
  EXPECT_TRUE(listens) << "headgate did not start to listen; it wrote:\n" << text << process_->out();
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; listens && match != end; ++match) {
    ports_.push_back(static_cast<std::uint16_t>(std::stoul((*match)[2].str())));
  }
}

RawClient Gateway::client(const std::string& source) const {
  RawClient out(port(), source);
  if (secure_) out.socket().secure();
  return out;
}

Gateway::~Gateway() {
  const bool ended_before = !process_->runs();
  const int code = ended_before ? process_->wait() : terminate();
  EXPECT_EQ(process_->sanitizer_report(), "");
  if (any_end_) return;
  EXPECT_EQ(code, 0) << (ended_before ? "headgate ended by itself" : "headgate did not end well after SIGTERM")
                     << "; it wrote:\n"
                     << process_->err();
}

int Gateway::terminate(Milliseconds within) {
  process_->signal(SIGTERM);
#ifdef HEADGATE_SIGNALS_MAY_STAY
  // GCC 12's ThreadSanitizer keeps a signal that comes just before its thread waits until that thread calls something
  // again, and the main thread waits for nothing but signals. Another one brings both, as one.
  const auto told = [&] { return has(process_->err(), "draining") || !has(process_->err(), "has started"); };
  if (process_->wait(Milliseconds(3000)) == -1 && !told()) process_->signal(SIGTERM);
#endif
  return process_->wait(within);
}

std::size_t Gateway::resident_kib() const {
  std::ifstream in("/proc/" + std::to_string(process_->pid()) + "/status");
  std::string word;
  while (in >> word) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && in >> kib) return kib;
  }
  return 0;
}

namespace {

void give_tls(Json& listen) {
  if (listen.is_array()) {
    for (auto& each : listen) give_tls(each);
    return;
  }
  if (listen.is_string()) listen = {{"address", listen}};
  if (!listen.contains("tls")) listen["tls"] = {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}};
}

}  // namespace

Json config_for(const FakeUpstream& upstream, const Json& changes) {
  Json config = {{"listen", "127.0.0.1:0"},
                 {"workers", 1},
                 {"drain", "2s"},
                 {"admin", "off"},
                 {"memory", {{"max_keys", 50000}}},  // a sanitizer marks all of the table at each start
                 {"upstreams", {{"app", upstream.url()}}},
                 {"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}};
  config.merge_patch(changes);
  if (std::getenv("HEADGATE_TEST_TLS") != nullptr) give_tls(config["listen"]);
  return config;
}

void expect_problem(const Message& answer, int status) {
  ASSERT_TRUE(answer.ok()) << answer.error << "\n" << visible(answer.head);
  EXPECT_EQ(answer.status(), status) << visible(answer.head + answer.body);
  EXPECT_EQ(answer.value("Content-Type"), "application/problem+json") << visible(answer.head);
  const Json problem = Json::parse(answer.body, nullptr, false);
  ASSERT_TRUE(problem.is_object()) << visible(answer.body);
  for (const char* member : {"type", "title", "detail", "request_id"}) {
    EXPECT_TRUE(problem.contains(member) && problem[member].is_string() && !problem[member].get<std::string>().empty())
        << member << " in " << visible(answer.body);
  }
  EXPECT_EQ(problem.value("status", 0), status) << visible(answer.body);
  EXPECT_EQ(problem.value("title", ""), answer.reason()) << visible(answer.head);
  EXPECT_EQ(problem.value("request_id", ""), answer.value("X-Request-Id")) << visible(answer.head + answer.body);
}

}  // namespace headgate::test
