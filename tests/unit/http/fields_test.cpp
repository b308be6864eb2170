#include "headgate/http/fields.hpp"

#include "headgate/http/hop.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::http {
namespace {

std::vector<std::string> members(std::string_view list) {
  std::vector<std::string> out;
  for (std::string_view member; next_member(list, member);) out.emplace_back(member);
  return out;
}

TEST(Fields, TakeACopyOfOneOfTheirOwnWhenTheyAreFull) {
  Fields fields;
  fields.push_back({Known::host, "Host", "a.example"});
  while (fields.size() < 100) {
    fields.push_back(fields.front());
    ASSERT_EQ(fields.back().value, "a.example") << fields.size();
  }
}

TEST(Fields, AreFoundByIdentityAndByNameWithoutCase) {
  const Fields fields = {
      {Known::host, "Host", "a"}, {Known::unknown, "X-Tenant", "one"}, {Known::unknown, "x-tenant", "two"}};
  EXPECT_EQ(value_of(fields, Known::host), "a");
  EXPECT_EQ(value_of(fields, Known::via), "");
  EXPECT_EQ(value_of(fields, std::string_view("x-TENANT")), "one") << "the first of two";
  EXPECT_EQ(value_of(fields, std::string_view("x-tenan")), "");
  EXPECT_TRUE(has(fields, Known::host));
  EXPECT_FALSE(has(fields, Known::via));
}

TEST(NextMember, SplitsAListAndSkipsEmptyMembers) {
  EXPECT_EQ(members("a, b\t,\t c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(members(",, a ,,"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(members("a b"), (std::vector<std::string>{"a b"}));
  EXPECT_TRUE(members("").empty());
  EXPECT_TRUE(members(" , \t,").empty());
}

TEST(Lists, NamesATokenAsAWholeMember) {
  EXPECT_TRUE(lists("keep-alive, Upgrade", "upgrade"));
  EXPECT_FALSE(lists("keep-alive, upgraded", "upgrade"));
  EXPECT_FALSE(lists("not upgrade", "upgrade"));
  EXPECT_FALSE(lists("", "upgrade"));
}

std::vector<std::string> passed_on(const Fields& fields) {
  Fields out;
  append_end_to_end(fields, out);
  std::vector<std::string> names;
  for (const auto& field : out) names.emplace_back(field.name);
  return names;
}

TEST(EndToEnd, LeavesOutHopByHopFields) {
  const Fields hop = {{Known::connection, "Connection", "keep-alive"},
                      {Known::keep_alive, "Keep-Alive", "timeout=5"},
                      {Known::proxy_connection, "Proxy-Connection", "keep-alive"},
                      {Known::proxy_authenticate, "Proxy-Authenticate", "Basic"},
                      {Known::proxy_authorization, "Proxy-Authorization", "Basic x"},
                      {Known::te, "TE", "trailers"},
                      {Known::trailer, "Trailer", "X-Sum"},
                      {Known::transfer_encoding, "Transfer-Encoding", "chunked"},
                      {Known::upgrade, "Upgrade", "websocket"},
                      {Known::content_length, "Content-Length", "3"},
                      {Known::http2_settings, "HTTP2-Settings", "AAMAAABkAAQAAP__"}};
  for (const auto& field : hop) EXPECT_TRUE(passed_on({field}).empty()) << field.name;
}

TEST(EndToEnd, AppendsTheRestInOrder) {
  Fields out = {{Known::unknown, "First", "1"}};
  append_end_to_end({{Known::host, "Host", "a"},
                     {Known::connection, "Connection", "close"},
                     {Known::unknown, "X", "2"},
                     {Known::unknown, "X", "3"}},
                    out);
  ASSERT_EQ(out.size(), 4U);
  EXPECT_EQ(out[0].name, "First");
  EXPECT_EQ(out[1].name, "Host");
  EXPECT_EQ(out[2].value, "2");
  EXPECT_EQ(out[3].value, "3");
}

TEST(EndToEnd, LeavesOutWhatAnyConnectionFieldNames) {
  EXPECT_EQ(passed_on({{Known::unknown, "X-Secret", "1"},
                       {Known::connection, "Connection", "close"},
                       {Known::connection, "Connection", "keep-alive, x-SECRET"},
                       {Known::unknown, "x-secret", "2"},
                       {Known::unknown, "X-Secret-Not", "3"}}),
            (std::vector<std::string>{"X-Secret-Not"}));
}

TEST(EndToEnd, KeepsHostAndCredentialsThatConnectionNames) {
  const Fields fields = {{Known::connection, "Connection", "host, authorization, cookie, cache-control"},
                         {Known::host, "Host", "a"},
                         {Known::authorization, "Authorization", "Bearer x"},
                         {Known::cookie, "Cookie", "a=b"},
                         {Known::cache_control, "Cache-Control", "no-cache"}};
  EXPECT_EQ(passed_on(fields), (std::vector<std::string>{"Host", "Authorization", "Cookie", "Cache-Control"}));
}

}  // namespace
}  // namespace headgate::http
