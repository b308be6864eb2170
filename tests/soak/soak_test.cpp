// Callers and servers of HTTP/2 that do all they may, at random and for long: nothing grows, and nothing is left. For
// six seconds, or as many as HEADGATE_SOAK says; ./dev soak runs it against a binary whose memory says something.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/tls/tls_gateway.hpp"

#include "headgate/net/block_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

const std::string kHere = HEADGATE_SOURCE_DIR "/tests/soak/";
constexpr int kSamples = 40;
constexpr int kWorkers = 2;
constexpr int kRate = 100;  ///< requests a second

/// What must be nothing when everybody has gone.
const std::vector<std::string> kGauges = {"headgate_requests_in_flight", "headgate_upstream_in_flight",
                                          "headgate_limit_in_flight", "headgate_connections_active"};

struct Sample {
  double second = 0;
  double resident = 0;  ///< KiB
  double descriptors = 0;
  double in_flight = 0;
  double buffered = 0;
};

double descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<double>(std::distance(begin(all), end(all)));
}

/// Of a part of all samples: [from, to) in quarters.
double mean(const std::vector<Sample>& samples, double Sample::*what, std::size_t from, std::size_t to) {
  double sum = 0;
  const auto first = samples.size() * from / 4, last = samples.size() * to / 4;
  for (auto i = first; i < last; ++i) sum += samples[i].*what;
  return sum / static_cast<double>(last - first);
}

class Soak : public WithCertificates {
 protected:
  void SetUp() override {
    WithCertificates::SetUp();
    if (!IsSkipped() && !installed(kNode)) GTEST_SKIP() << "no node on this machine";
  }
  /// The n-th of many configurations.
  static Json config(const RealServer& plain, const RealServer& secure, int n) {
    const Json tls = {{"certificate", files->path("server.crt")}, {"key", files->path("server.key")}};
    return {
        {"workers", kWorkers},
        {"listen", {{{"address", "127.0.0.1:0"}, {"http2", true}}, {{"address", "127.0.0.1:0"}, {"tls", tls}}}},
        {"admin", {{"listen", "127.0.0.1:0"}}},
        {"log", {{"format", "json"}, {"access", "off"}}},
        {"limits",
         {{"rate", {{"rate", std::to_string(1'000'000 - n % 2) + "/second"}, {"per", "client_ip"}}},
          {"held", {{"in_flight", 10'000 + n % 3}, {"per", "client_ip"}}}}},
        {"all_routes", {{"limits", {"rate", "held"}}}},
        {"upstreams",
         {{"app", nullptr},
          {"plain", {{"servers", {plain.url("http")}}, {"protocol", "http2"}, {"idle_timeout", "1s"}}},
          {"secure",
           {{"servers", {secure.url("https")}}, {"tls", trusting()}, {"protocol", "http2"}, {"idle_timeout", "1s"}}}}},
        {"routes", {{{"path", "/plain/*"}, {"to", "plain"}}, {{"path", "/secure/*"}, {"to", "secure"}}}}};
  }
  static Words server(std::uint16_t port, const Words& more = {}) {
    Words out{kHere + "server.js", std::to_string(port)};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
};

TEST_F(Soak, LeavesNothingBehindAndDoesNotGrow) {
  const char* const told = std::getenv("HEADGATE_SOAK");
  const double seconds = told == nullptr ? 6 : std::atof(told);
  RealServer plain(kNode, [](std::uint16_t port) { return server(port); });
  RealServer secure(kNode, [](std::uint16_t port) {
    return server(port, {files->path("server.crt"), files->path("server.key")});
  });
  ASSERT_TRUE(plain.listens()) << plain.said();
  ASSERT_TRUE(secure.listens()) << secure.said();
  Reloaded gateway(config(plain, secure, 0));
  const Look look(gateway.process());
  const auto pid = gateway.process().pid();
  int reloads = 0;
  ASSERT_TRUE(gateway.reload(config(plain, secure, ++reloads)));
  for (const auto* const path : {"/plain/a?bytes=9", "/secure/a?bytes=9"})
    EXPECT_EQ(gateway.client().get(path).body.size(), 9U);
  // All that is opened once is open.
  const double before = descriptors_of(pid);

  Process client(
      {kHere + "client.js", std::to_string(gateway.gateway().port(0)), std::to_string(gateway.gateway().port(1)),
       files->path("ca.crt"), std::to_string(seconds), std::to_string(kRate)},
      {}, kNode);
  std::vector<Sample> samples;
  const auto begun = Clock::now();
  const auto since = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
  const double reload_each = std::max(1.0, std::min(10.0, seconds / 10));
  while (since() < seconds) {
    std::this_thread::sleep_for(Milliseconds(50));
    if (since() > reload_each * reloads) {
      ASSERT_TRUE(gateway.reload(config(plain, secure, ++reloads))) << gateway.process().err();
    }
    if (since() < seconds / kSamples * static_cast<double>(samples.size() + 1)) continue;
    const auto metrics = look.metrics();
    samples.push_back({since(), static_cast<double>(gateway.gateway().resident_kib()), descriptors_of(pid),
                       metrics.sum("headgate_requests_in_flight"), metrics.sum("headgate_buffered_bytes")});
    const auto& now = samples.back();
    std::printf("%7.0f s: %7.0f KiB, %3.0f descriptors, %3.0f requests in flight, %7.0f bytes buffered\n", now.second,
                now.resident, now.descriptors, now.in_flight, now.buffered);
    std::fflush(stdout);
  }
  ASSERT_EQ(client.wait(std::chrono::seconds(30)), 0) << client.out() << client.err();
  std::printf("%d reloads; %s", reloads, client.out().c_str());
  const Json counts = Json::parse(client.out(), nullptr, false);
  ASSERT_TRUE(counts.is_object()) << client.out() << client.err();
  EXPECT_EQ(counts["wrong"], 0) << client.out();
  EXPECT_GT(counts["whole"], seconds * kRate / 4) << client.out();
  EXPECT_GT(counts["cancelled"], 0);
  EXPECT_LT(counts["unsent"], 5 + counts["whole"].get<double>() / 500) << client.out();

  const auto text = look.text();
  for (const auto& gauge : kGauges) {
    ASSERT_TRUE(has(text, "# TYPE " + gauge + " gauge")) << gauge << " is a metric";
    EXPECT_TRUE(look.comes_to([&](const MetricsText& metrics) { return metrics.sum(gauge) == 0; }))
        << gauge << ": " << look.metrics().sum(gauge);
  }
  EXPECT_LE(look.metrics().sum("headgate_buffered_bytes"), kWorkers * net::LentBytes::kStep) << "it is exact to that";
  double after = 0;
  const auto until = Clock::now() + kPatience;
  while ((after = descriptors_of(pid)) > before && Clock::now() < until) std::this_thread::sleep_for(Milliseconds(50));
  EXPECT_LE(after, before) << "descriptors";
  EXPECT_LT(mean(samples, &Sample::descriptors, 3, 4), mean(samples, &Sample::descriptors, 1, 2) + 10);
  if (told == nullptr)
    return;  // a sanitizer keeps what is freed for a while, and so do the first seconds of any allocator
  EXPECT_LT(mean(samples, &Sample::resident, 3, 4), mean(samples, &Sample::resident, 1, 2) * 1.05 + 1024) << "KiB";
}

}  // namespace
}  // namespace headgate::test
