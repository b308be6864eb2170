// The certificates of listeners: which of them workers get while their files change, and what is told of their ends.

#include "support/certificates.hpp"

#include "../../../src/server/watch/certificates.hpp"
#include "support/events.hpp"
#include "support/folder.hpp"
#include "support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

using namespace std::chrono_literals;
using headgate::test::Events;
using headgate::test::VirtualClock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kLook = 1s;

net::ListenOptions listener_with(const std::string& certificate, const std::string& key) {
  net::ListenOptions out;
  out.text = "127.0.0.1:443";
  out.tls.emplace().certificates.push_back({.certificate = certificate, .key = key});
  return out;
}

/// What is in the files does not matter: the test says whether it can be used.
class FilesOfAListener : public test::Folder {
 protected:
  FilesOfAListener() {
    net::ListenOptions plain;
    auto next = certificates.prepare(
        {plain, listener_with(write("a.crt", "first"), write("a.key", "its key"))},
        [this](const auto&, const net::ServerTlsTexts& texts) { return make(texts.pairs.front().certificate); });
    EXPECT_TRUE(next.has_value());
    certificates.use(std::move(*next));
    made.clear();
  }
  Result<ListenerTls, std::string> make(const std::string& certificate) {
    if (certificate == refused) return {boost::system::in_place_error, "it is not for this key"};
    made.push_back(certificate);
    return ListenerTls();
  }

  VirtualClock clock;
  observe::Registry registry;
  std::string refused;
  std::vector<std::string> made;
  std::vector<std::size_t> given;  // the numbers of listeners
  Certificates certificates{clock, registry, [this](std::size_t listener, const auto&) { given.push_back(listener); }};
  Events events;
};

TEST_F(FilesOfAListener, AreUsedOnceALookSeesNoFurtherChange) {
  certificates.start();
  clock.advance(10 * kLook);
  EXPECT_THAT(given, IsEmpty()) << "nothing has changed";
  write("a.crt", "second");
  clock.advance(kLook);
  write("a.key", "the key of the second");
  clock.advance(kLook);
  EXPECT_THAT(given, IsEmpty()) << "there may be more to come";
  clock.advance(10 * kLook);
  EXPECT_THAT(given, ElementsAre(1U));
  EXPECT_THAT(made, ElementsAre("second"));
  EXPECT_THAT(events.lines, ElementsAre(HasSubstr("certificate_read")));
}

TEST_F(FilesOfAListener, StayAsTheyWereInUseWhileNewOnesAreRefused) {
  certificates.start();
  refused = "second";
  write("a.crt", "second");
  clock.advance(10 * kLook);
  EXPECT_THAT(given, IsEmpty());
  EXPECT_THAT(events.lines, ElementsAre(HasSubstr("certificate_refused")));
  write("a.crt", "third");
  clock.advance(2 * kLook);
  EXPECT_THAT(given, ElementsAre(1U));
}

TEST_F(FilesOfAListener, AreLookedAtNoMoreAfterTheStop) {
  certificates.start();
  write("a.crt", "second");
  clock.advance(kLook);
  certificates.stop();
  certificates.stop();
  EXPECT_EQ(clock.armed(), 0U);
  clock.advance(10 * kLook);
  EXPECT_THAT(given, IsEmpty());
}

TEST(CertificateThatEnds, IsWarnedOfADayApart) {
  if (!test::Certificates::possible()) GTEST_SKIP() << "needs openssl";
  test::Certificates files;
  ASSERT_TRUE(files.make("a", "DNS:localhost", 36'500));
  VirtualClock clock;
  observe::Registry registry;
  Certificates certificates(clock, registry, [](auto&&...) {});
  auto next = certificates.prepare({listener_with(files.path("a.crt"), files.path("a.key"))},
                                   [](auto&&...) { return ListenerTls(); });
  ASSERT_TRUE(next.has_value());
  certificates.use(std::move(*next));
  Events events;
  EXPECT_THAT(certificates.ending(), IsEmpty());
  clock.advance(certificates.expiry().at(files.path("a.crt")) - clock.wall() - 72h);
  certificates.start();
  EXPECT_THAT(events.lines, ElementsAre(HasSubstr("certificate_expires")));
  EXPECT_EQ(certificates.ending().size(), 1U);
  clock.late = 6h;  // or it would look thousands of times
  clock.advance(23h);
  EXPECT_EQ(events.lines.size(), 1U);
  clock.advance(24h);
  EXPECT_EQ(events.lines.size(), 2U);
  certificates.stop();
}

}  // namespace
}  // namespace headgate::server
