// The servers that the attacks use: each reads a path as servers of its kind do.

#include "security/behind.hpp"

#include <algorithm>

namespace headgate::test {
namespace {

class Servers : public Behind {};
HEADGATE_BEHIND_EVERY_SERVER(Servers);

TEST_P(Servers, AnswerWithHowTheyReadARequest) {
  if (!start()) return;
  RawClient client = this->client();
  const Message answer = client.get("/a%20b/%c3%a9?q=1", "X-One: 1\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head);
  const Reading reading = reading_of(answer);
  EXPECT_EQ(reading.method, "GET");
  ASSERT_FALSE(reading.paths.empty());
  for (const auto& path : reading.paths) {
    EXPECT_EQ(path, GetParam() == RealServer::Kind::node ? "/a b/\u00e9" : "/a b/\xc3\xa9");
  }
  EXPECT_EQ(client.get("/").status(), 200) << "the connection is kept";
}

TEST_P(Servers, DecodeAPathAndResolveItsDots) {
  if (!start()) return;
  // Directly to the server, because the gateway would have resolved them.
  const Message answer = RawClient(server().port()).get("/x/%2e%2e/%61dmin");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head);
  const auto paths = reading_of(answer).paths;
  EXPECT_NE(std::find(paths.begin(), paths.end(), "/admin"), paths.end()) << visible(answer.body);
}

}  // namespace
}  // namespace headgate::test
