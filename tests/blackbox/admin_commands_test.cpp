// The commands that talk to a running gateway, as an operator types them.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace headgate::test {
namespace {

const Json kAdminHere = {{"admin", {{"listen", "127.0.0.1:0"}}}};
const std::string kLongToken = "a-token-of-some-length-1";

std::string url_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

/// Something that answers one connection with `answer`, and is no gateway.
class Answers {
 public:
  explicit Answers(std::string answer) : socket_(Socket::listen()), port_(socket_.local_port()) {
    thread_ = std::thread([this, text = std::move(answer)] {
      auto client = socket_.accept();
      std::string got;
      while (got.find("\r\n\r\n") == std::string::npos && client.receive(got) == Got::bytes) {
      }
      client.send(text);
    });
  }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  ~Answers() { thread_.join(); }
  std::string url() const { return url_of(port_); }

 private:
  Socket socket_;
  std::uint16_t port_;
  std::thread thread_;
};

TEST(AdminCommands, SayWithExit4ThatNobodyIsThere) {
  const std::string port = std::to_string(Socket::listen().local_port());
  const auto ran = run_headgate({"servers", "--admin", "http://127.0.0.1:" + port});
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(has(ran.err, "the gateway at http://127.0.0.1:" + port + "/ cannot be reached: ")) << ran.err;
  EXPECT_TRUE(has(ran.err, "--admin URL")) << ran.err;
}

TEST(AdminCommands, SayWhatIsWrongWithTheAddress) {
  auto ran = run_headgate({"servers", "--admin", "127.0.0.1:9900"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "http://127.0.0.1:9900")) << ran.err;
  ran = run_headgate({"servers", "--admin", "http://127.0.0.1:9900/api"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "has no path")) << ran.err;
}

TEST(AdminCommands, FindTheGatewayInTheEnvironment) {
  Proxy proxy(kAdminHere);
  const auto url = url_of(admin_port(proxy.gateway.process()));
  const auto ran = run_headgate({"servers"}, {"HEADGATE_ADMIN=" + url});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "upstream  server")) << ran.out;
  EXPECT_TRUE(has(ran.out, "app       127.0.0.1:")) << ran.out;
  EXPECT_TRUE(has(ran.out, "  in ")) << ran.out;
}

TEST(AdminCommands, SendTheTokenOfAFileOrOfTheEnvironment) {
  Proxy proxy(Json{{"admin", {{"listen", "127.0.0.1:0"}, {"token", kLongToken}}}});
  const auto url = url_of(admin_port(proxy.gateway.process()));
  auto ran = run_headgate({"servers", "--admin", url});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "wants a token")) << ran.err;
  EXPECT_TRUE(has(ran.err, "--token-file FILE")) << ran.err;
  EXPECT_EQ(run_headgate({"servers", "--admin", url}, {"HEADGATE_ADMIN_TOKEN=" + kLongToken}).code, 0);
  const TemporaryFile right(kLongToken + "\n", "token");
  EXPECT_EQ(run_headgate({"servers", "--admin", url, "--token-file", right.path()}).code, 0);
  const TemporaryFile wrong("another-token\n", "token");
  ran = run_headgate({"servers", "--admin", url, "--token-file", wrong.path()}, {"HEADGATE_ADMIN_TOKEN=" + kLongToken});
  EXPECT_EQ(ran.code, 1) << "the file comes first";
  EXPECT_TRUE(has(ran.err, "does not know this token")) << ran.err;
  EXPECT_FALSE(has(ran.err, "another-token")) << ran.err;
}

TEST(AdminCommands, SayWhatIsWrongWithTheToken) {
  auto ran = run_headgate({"servers", "--token-file", "/nowhere/token"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "cannot read the token in /nowhere/token")) << ran.err;
  const TemporaryFile spaces("two words\n", "token");
  ran = run_headgate({"servers", "--token-file", spaces.path()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "is not a token")) << ran.err;
  EXPECT_FALSE(has(ran.err, "two words")) << ran.err;
}

TEST(AdminCommands, SayThatAnotherServerIsNoGateway) {
  const Answers other("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nContent-Type: text/html\r\n\r\nnope");
  const auto ran = run_headgate({"servers", "--admin", other.url()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "answered 404, and not as a gateway does")) << ran.err;
}

TEST(AdminCommands, ReloadSaysWhatChanged) {
  Reloaded file(kAdminHere);
  const auto url = url_of(admin_port(file.process()));
  auto ran = run_headgate({"reload", "--admin", url});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "reloaded " + file.path() + ": nothing has changed\n");
  file.write({{"admin", {{"listen", "127.0.0.1:0"}}}, {"drain", "3s"}, {"workers", 2}});
  ran = run_headgate({"reload", "--admin", url});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, ": drain, workers\nwaits for a restart: workers\n")) << ran.out;
}

TEST(AdminCommands, ReloadShowsTheMistakesOfTheFile) {
  Reloaded file(kAdminHere);
  const auto url = url_of(admin_port(file.process()));
  file.write_text("{ \"brust\": 1 }");
  auto ran = run_headgate({"reload", "--admin", url});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "The active one stays in use\n")) << ran.err;
  EXPECT_TRUE(has(ran.err, file.path() + ":1:3: unknown key \"brust\"")) << ran.err;
  ran = run_headgate({"reload", "--json", "--admin", url});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(Json::parse(ran.out).at("status"), 422);
}

}  // namespace
}  // namespace headgate::test
