// The certificates in force as a list, and which of them end soon.

#include "headgate/admin/certificate_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::admin {
namespace {

using testing::ElementsAre;

const Instant kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 23)};
constexpr Duration kDay = std::chrono::hours(24);

CertificateRow row_of(const std::string& file, CertificateUse use, int days_left, const std::string& user = "a") {
  CertificateRow out{.file = file, .use = use, .used_by = {user}, .words = {}};
  out.words.serial = std::to_string(days_left);
  out.words.not_before = kNow - 365 * kDay;
  out.words.not_after = kNow + days_left * kDay;
  return out;
}

bool ends_soon(const std::vector<CertificateRow>& rows) { return validity_of(rows).at("file.pem").ends_soon(kNow); }

TEST(CertificateRows, EndSoonWithTheFirstOfTheirFile) {
  EXPECT_FALSE(ends_soon({row_of("file.pem", CertificateUse::listener, 22)}));
  EXPECT_TRUE(ends_soon({row_of("file.pem", CertificateUse::listener, 21)}));
  EXPECT_TRUE(
      ends_soon({row_of("file.pem", CertificateUse::listener, 300), row_of("file.pem", CertificateUse::upstream, 5)}));
}

TEST(CertificateRows, OfAuthoritiesEndSoonWithTheLastOfTheirFile) {
  const auto ended = row_of("file.pem", CertificateUse::upstream_ca, -400);
  EXPECT_FALSE(ends_soon({ended, row_of("file.pem", CertificateUse::upstream_ca, 300)})) << "old ones are left in it";
  EXPECT_FALSE(ends_soon({row_of("file.pem", CertificateUse::upstream_ca, 300), ended}));
  EXPECT_TRUE(ends_soon({ended, row_of("file.pem", CertificateUse::upstream_ca, 3)}));
  EXPECT_TRUE(
      ends_soon({row_of("file.pem", CertificateUse::clients_ca, 300), row_of("file.pem", CertificateUse::listener, 3)}))
      << "one that we show is another matter";
}

TEST(CertificateRows, OfOneCertificateAreJoined) {
  const auto rows = joined_rows({row_of("file.pem", CertificateUse::listener, 9, ":443"),
                                 row_of("file.pem", CertificateUse::listener, 9, ":8443"),
                                 row_of("file.pem", CertificateUse::clients_ca, 9, ":443"),
                                 row_of("file.pem", CertificateUse::listener, 9, ":443")});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].used_by, ElementsAre(":443", ":8443"));
}

TEST(CertificateRows, SayInDaysWhatIsLeft) {
  EXPECT_EQ(days_left(kNow - std::chrono::hours(1), kNow), "it has ended, and is refused");
  EXPECT_EQ(days_left(kNow + std::chrono::hours(23), kNow), "it ends within a day");
  EXPECT_EQ(days_left(kNow + std::chrono::hours(25), kNow), "it ends in 1 day");
  EXPECT_EQ(days_left(kNow + std::chrono::hours(49), kNow), "it ends in 2 days");
}

}  // namespace
}  // namespace headgate::admin
