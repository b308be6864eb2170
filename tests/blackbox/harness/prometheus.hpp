#pragma once
// A real Prometheus that scrapes a gateway once a second.

#include "blackbox/harness/fake_upstream.hpp"
#include "blackbox/harness/process.hpp"
#include "blackbox/harness/raw_client.hpp"
#include "support/free_port.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace headgate::test {

/// Test thread only.
class Prometheus {
 public:
  using Json = nlohmann::json;

  static bool installed() { return std::system("command -v prometheus >/dev/null") == 0; }

  /// Scrapes the admin interface at this port of 127.0.0.1. With the rules and alerts of conf.
  explicit Prometheus(std::uint16_t admin_port)
      : port_(free_port()),
        config_(text(admin_port), "prometheus.yml"),
        directory_(config_.path() + ".d"),
        process_({"prometheus", "--config.file=" + config_.path(), "--storage.tsdb.path=" + directory_,
                  "--web.listen-address=127.0.0.1:" + std::to_string(port_), "--enable-feature=exemplar-storage"},
                 {}, "/usr/bin/env") {}
  Prometheus(const Prometheus&) = delete;
  Prometheus& operator=(const Prometheus&) = delete;
  ~Prometheus() {
    process_.signal(SIGTERM);
    process_.wait();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  /// The whole answer to a call of its API.
  Json call(const std::string& target) const {
    RawClient client(port_);
    if (!client.is_open()) return Json();
    return Json::parse(client.get(target).body, nullptr, false);
  }
  /// The answer to an expression.
  Json query(const std::string& expression) const { return call("/api/v1/query?query=" + escaped(expression)); }
  /// Whether an expression has a result, at once or within a few seconds.
  bool comes_to(const std::string& expression, Milliseconds patience = kPatience) const {
    const auto end = std::chrono::steady_clock::now() + patience;
    do {
      const auto answer = query(expression);
      if (answer.is_object() && answer.value("status", "") == "success" && !answer["data"]["result"].empty())
        return true;
      std::this_thread::sleep_for(Milliseconds(200));
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }
  std::string log() const { return process_.err(); }

  static std::string escaped(const std::string& text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0) {
        out += c;
      } else {
        out += '%';
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 15U];
      }
    }
    return out;
  }

 private:
  static std::string text(std::uint16_t admin_port) {
    const std::string conf = HEADGATE_SOURCE_DIR "/conf/";
    return "global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [" + conf + "rules.yml, " + conf +
           "alerts.yml]\nscrape_configs:\n  - job_name: headgate\n    static_configs: [{ targets: [\"127.0.0.1:" +
           std::to_string(admin_port) + "\"] }]\n";
  }

  std::uint16_t port_;
  TemporaryFile config_;
  std::string directory_;
  Process process_;
};

}  // namespace headgate::test
