// Each attack on headgate itself: its connections are ended or cost little, and a bystander is answered meanwhile.

#include "blackbox/harness/gateway.hpp"
#include "security/h2/attacker.hpp"
#include "security/h2/bystander.hpp"
#include "security/h2/upstream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

namespace headgate::test::h2 {
namespace {

using namespace std::chrono_literals;

constexpr auto kAttacked = 300ms;
constexpr std::size_t kAnswers = 10;
constexpr std::uint64_t kEnds = 4;
/// Of what is held, a part shows as much.
constexpr std::size_t kFewer = 4;
/// What all of an attack's connections may take together, under AddressSanitizer as well.
constexpr std::size_t kMemoryKib = HEADGATE_SHADOW * 48UL * 1024;

class Http2Attack : public testing::TestWithParam<Attack> {};

TEST_P(Http2Attack, IsBoundedAndABystanderIsAnswered) {
  Attack attack = GetParam();
  attack.at_once /= attack.fate == Fate::held ? kFewer : 2;
  const Upstream upstream;
  const Gateway gateway(
      Json{{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
           {"workers", 1},
           {"admin", "off"},
           {"log", {{"access", "off"}}},
           {"upstreams", {{"app", {{"servers", {"http://127.0.0.1:" + std::to_string(upstream.port())}}}}}},
           {"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}},
      {"ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=64"});
  ASSERT_NE(gateway.port(), 0);
  const auto before = gateway.resident_kib();
  std::size_t peak = before;
  // On a busy machine, and with AddressSanitizer, only that it is answered can be told.
  Bystander bystander(gateway.port(), 50, std::chrono::duration_cast<std::chrono::seconds>(kPatience));
  const Attacker attacker(gateway.port(), attack);
  const auto begun = std::chrono::steady_clock::now();
  const auto shown = [&] {
    const bool done = attack.fate == Fate::ended ? attacker.ended() >= kEnds : attacker.connections() == attack.at_once;
    return done && bystander.answers() >= kAnswers && std::chrono::steady_clock::now() > begun + kAttacked;
  };
  while (!shown() && std::chrono::steady_clock::now() < begun + kPatience) {
    std::this_thread::sleep_for(10ms);
    peak = std::max(peak, gateway.resident_kib());
  }
  EXPECT_TRUE(shown()) << bystander.answers() << " answers, " << attacker.connections() << " connections, "
                       << attacker.ended() << " of them ended, " << attacker.sent() << " bytes";
  const auto waits = bystander.stop();
  EXPECT_EQ(waits.lost, 0U);
  EXPECT_LT(peak - before, kMemoryKib);
  if (attack.fate == Fate::held) {
    EXPECT_EQ(attacker.ended(), 0U) << "they are refused, and nothing was shown";
  }
  RecordProperty("peak_kib", static_cast<int>(peak - before));
}

INSTANTIATE_TEST_SUITE_P(With, Http2Attack, testing::ValuesIn(attacks()), [](const auto& each) {
  std::string name;
  bool begins = true;
  for (const char c : each.param.name) {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (part) name += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = !part;
  }
  return name;
});

}  // namespace
}  // namespace headgate::test::h2
