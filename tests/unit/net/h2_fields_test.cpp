#include "headgate/net/h2_fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace headgate::net {
namespace {

using http::Known;

std::string name_of(const nghttp2_nv& field) { return {reinterpret_cast<const char*>(field.name), field.namelen}; }

bool stays_out_of_table(const nghttp2_nv& field) { return (field.flags & NGHTTP2_NV_FLAG_NO_INDEX) != 0; }

bool is_copied(const nghttp2_nv& field) { return (field.flags & NGHTTP2_NV_FLAG_NO_COPY_NAME) == 0; }

TEST(H2FieldsTest, WritesWellKnownNamesInLowerCaseAndHasThemForEver) {
  std::uint32_t heads = 1;
  H2Fields out(heads);
  {
    const std::string name = "Content-TYPE";
    out.add({{Known::content_type, name, "text/plain"}});
  }
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(name_of(out.data()[0]), "content-type");
  EXPECT_FALSE(is_copied(out.data()[0]));
}

TEST(H2FieldsTest, LeavesUnknownNamesToNghttp2WhichCopiesThem) {
  std::uint32_t heads = 1;
  H2Fields out(heads);
  out.add({{Known::unknown, "X-Own", "1"}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_TRUE(is_copied(out.data()[0]));
}

TEST(H2FieldsTest, LeavesOutWhatOnlyHttp1Has) {
  std::uint32_t heads = 1;
  H2Fields out(heads);
  out.add({{Known::host, "Host", "a"},
           {Known::connection, "Connection", "close"},
           {Known::keep_alive, "Keep-Alive", "1"},
           {Known::proxy_connection, "Proxy-Connection", "close"},
           {Known::transfer_encoding, "Transfer-Encoding", "chunked"},
           {Known::upgrade, "Upgrade", "x"},
           {Known::te, "TE", "trailers"}});
  EXPECT_EQ(out.size(), 0U);
}

TEST(H2FieldsTest, KeepsSecretsOutOfTheTableInEveryHead) {
  for (std::uint32_t before : {0U, 1U, 64U}) {
    H2Fields out(before);
    out.add({{Known::authorization, "Authorization", "a"},
             {Known::cookie, "Cookie", "a"},
             {Known::set_cookie, "Set-Cookie", "a"},
             {Known::etag, "ETag", "a"},
             {Known::unknown, "Authorization", "a"},
             {Known::unknown, "Set-Cookie", "a"},
             {Known::unknown, "cookie", "a"},
             {Known::retry_after, "Retry-After", "1"}});
    out.add_new("content-length", "1");
    ASSERT_EQ(out.size(), 9U);
    for (std::size_t at = 0; at < out.size(); ++at) EXPECT_TRUE(stays_out_of_table(out.data()[at])) << at;
  }
}

TEST(H2FieldsTest, LeavesNamesOfNewValuesInTheTableWithTheFirstHeadAndEvery64th) {
  std::uint32_t heads = 0;
  std::vector<std::uint32_t> remembered;
  for (std::uint32_t head = 0; head < 200; ++head) {
    H2Fields out(heads);
    out.add({{Known::unknown, "X-Request-Id", "a"},
             {Known::unknown, "traceparent", "a"},
             {Known::unknown, "RateLimit-Reset", "a"},
             {Known::unknown, "X-RateLimit-Reset", "a"},
             {Known::unknown, "Retry-After-Ms", "a"}});
    ASSERT_EQ(out.size(), 5U);
    for (std::size_t at = 1; at < out.size(); ++at)
      EXPECT_EQ(stays_out_of_table(out.data()[at]), stays_out_of_table(out.data()[0])) << head << ' ' << at;
    if (!stays_out_of_table(out.data()[0])) remembered.push_back(head);
  }
  EXPECT_EQ(remembered, (std::vector<std::uint32_t>{0, 64, 128, 192}));
}

}  // namespace
}  // namespace headgate::net
