// The commands that talk to a running gateway, as an operator types them.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
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

TEST(AdminCommands, FailWhereSomeOfAnAddressMayGoOn) {
  const std::string body = R"({"address":"192.0.2.7","workers":2,"answered":1,"requests_answered":1,)"
                           R"("requests_broken_off":0,"connections_closed":2})";
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  for (const Words& more : {Words{}, Words{"--json"}}) {
    const Answers gateway(answer.c_str());
    Words words{"connections", "end", "--address", "192.0.2.7", "--admin", gateway.url()};
    words.insert(words.end(), more.begin(), more.end());
    const auto ran = run_headgate(words);
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_TRUE(has(ran.err, "1 of 2 workers did not answer")) << ran.err;
  }
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

/// A gateway with one limit, and its commands.
struct Operated {
  explicit Operated(const Json& changes = Json::object())
      : file(with(changes)), url(url_of(admin_port(file.process()))) {
    EXPECT_TRUE(Look(file.process()).status_comes_to("/readyz", 200));
  }
  static Json with(Json changes) {
    Json out = {
        {"admin", {{"listen", "127.0.0.1:0"}}},
        {"instance", "edge-1"},
        {"limits", {{"scan", {{"rate", "2/day"}, {"per", "client_ip"}, {"ban", {{"after", 5}, {"for", "10m"}}}}}}},
        {"all_routes", {{"limits", {"scan"}}}}};
    out.merge_patch(changes);
    return out;
  }
  Ran run(Words words) const {
    words.insert(words.end(), {"--admin", url});
    return run_headgate(words);
  }
  Reloaded file;
  std::string url;
};

TEST(AdminCommands, StatusSaysInLinesWhatRuns) {
  const Operated gate;
  const auto ran = gate.run({"status"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "instance      edge-1, headgate ")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\nstate         ready\n")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\nconfig        " + gate.file.path() + ", in force for ")) << ran.out;
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << "no colours where there is no terminal";
  const auto json = gate.run({"status", "--json"});
  EXPECT_EQ(Json::parse(json.out).at("instance"), "edge-1");
}

TEST(AdminCommands, LimitsSayWhatTheyMeanAndDid) {
  const Operated gate;
  auto ran = gate.run({"limits"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "limit  mode     store   allowed  rejected  observed  keys  means\n")) << ran.out;
  EXPECT_TRUE(
      has(ran.out, "scan   enforce  memory        0         0         0     0  each client address: 2 requests"))
      << ran.out;
  ran = gate.run({"limits", "scan"});
  EXPECT_TRUE(has(ran.out, "scan          each client address: 2 requests a day")) << ran.out;
  ran = gate.run({"limits", "scna"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "No limit has this name. Known limits: \"scan\"\n")) << ran.err;
}

TEST(AdminCommands, SuspensionsAreListedAddedAndLifted) {
  const Operated gate;
  EXPECT_EQ(gate.run({"suspensions"}).out, "nobody is suspended\n");
  auto ran = gate.run({"suspensions", "add", "scan", "127.0.0.1", "--for", "1h"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("127.0.0.1 is suspended under scan until 2")) << ran.out;
  EXPECT_EQ(gate.file.client().get().status(), 429);
  ran = gate.run({"suspensions"});
  EXPECT_TRUE(has(ran.out, "scan   127.0.0.1  operator  2")) << ran.out;
  ran = gate.run({"suspensions", "lift", "scan", "127.0.0.1"});
  EXPECT_EQ(ran.out, "127.0.0.1 is no longer suspended under scan\n") << ran.err;
  EXPECT_EQ(gate.file.client().get().status(), 200);
}

TEST(AdminCommands, ServersAreDrainedAndBroughtBack) {
  const FakeUpstream other;
  const std::string name = "127.0.0.1:" + std::to_string(other.port());
  const Operated gate({{"upstreams", {{"b", "http://" + name}}},
                       {"routes", Json::array({{{"path", "/b"}, {"to", "b"}}, {{"path", "/*"}, {"to", "app"}}})}});
  auto ran = gate.run({"servers", "drain", "b", name});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "last server")) << ran.err;
  EXPECT_TRUE(has(ran.err, "  help: add --force to drain it all the same\n")) << ran.err;
  EXPECT_FALSE(has(ran.err, "?force")) << ran.err;
  ran = gate.run({"servers", "drain", "b", name, "--force"});
  EXPECT_EQ(ran.out, name + " is drained; in flight there: 0\n") << ran.err;
  ran = gate.run({"servers"});
  EXPECT_TRUE(has(ran.out, "  out    drained")) << ran.out;
  EXPECT_EQ(gate.run({"servers", "up", "b", name}).out, name + " is up\n");
}

TEST(AdminCommands, ConfigShowsWhatIsInForceAndHowTheFileDiffers) {
  const Operated gate;
  const auto shown = Json::parse(gate.run({"config"}).out);
  EXPECT_EQ(shown.at("instance"), "edge-1");
  EXPECT_EQ(gate.run({"config", "--diff"}).out, gate.file.path() + " is what is in force\n");
  gate.file.write(Operated::with({{"instance", "edge-2"}}));
  EXPECT_EQ(gate.run({"config", "--diff"}).out, "where      in force  in the file\n/instance  edge-1    edge-2\n");
}

TEST(AdminCommands, LogLevelAndDrainAreDone) {
  Operated gate;
  EXPECT_EQ(gate.run({"log-level", "loud"}).code, 2);
  EXPECT_EQ(gate.run({"log-level", "error"}).out, "events from level error on are logged until the next reload\n");
  EXPECT_EQ(gate.run({"drain"}).out, "the gateway is draining\n");
  EXPECT_EQ(gate.file.process().wait(), 0);
}

/// What headgate prints where its output is a terminal of so many columns. At most a page.
std::string on_terminal(const Words& arguments, unsigned short columns) {
  const int here = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  const winsize size{.ws_row = 50, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  EXPECT_TRUE(here >= 0 && ::grantpt(here) == 0 && ::unlockpt(here) == 0 && ::ioctl(here, TIOCSWINSZ, &size) == 0);
  const char* const there = ::ptsname(here);
  Words words{"-c", R"(exec "$0" "$@" > "$TERMINAL")", HEADGATE_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Process shell(words, {"TERM=dumb", "TERMINAL=" + std::string(there != nullptr ? there : "")}, "/bin/sh");
  EXPECT_EQ(shell.wait(), 0) << shell.err();
  std::string out;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(here, part.data(), part.size())) > 0;)
    out.append(part.data(), static_cast<std::size_t>(got));
  ::close(here);
  std::erase(out, '\r');
  return out;
}

TEST(AdminCommands, LinesFitAHundredColumns) {
  const std::string name(64, 'n');
  const Operated gate(
      {{"limits", {{name, {{"rate", "1/day"}, {"per", "total"}}}}}, {"all_routes", {{"limits", {name}}}}});
  const auto shown = on_terminal({"limits", "--admin", gate.url}, 100);
  EXPECT_TRUE(has(shown, "limit")) << shown;
  EXPECT_FALSE(has(shown, name)) << shown;
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U + 4) << line;  // "…" has three bytes
  EXPECT_TRUE(has(gate.run({"limits"}).out, name + "  enforce")) << "nothing is cut in a pipe";
}

TEST(Completion, IsMadeFromTheCommandsThemselves) {
  const auto bash = run_headgate({"completion", "bash"});
  EXPECT_EQ(bash.code, 0) << bash.err;
  for (const char* word : {"'keys new'", "suspensions ", "--token-file ", "complete -o default -F _headgate headgate"})
    EXPECT_TRUE(has(bash.out, word)) << bash.out;
  EXPECT_TRUE(has(run_headgate({"completion", "fish"}).out, "-n '__headgate_at \"run\"' -l watch -d "));
  EXPECT_TRUE(run_headgate({"completion", "zsh"}).out.starts_with("#compdef headgate\n"));
  EXPECT_EQ(run_headgate({"completion", "csh"}).code, 2);
}

/// What bash offers after these words.
std::string offered(const std::string& words, int at) {
  Process bash({"-c", "eval \"$(" HEADGATE_BINARY " completion bash)\"; COMP_WORDS=(" + words +
                          "); COMP_CWORD=" + std::to_string(at) + "; _headgate; echo \"${COMPREPLY[*]}\""},
               {}, "/bin/bash");
  EXPECT_EQ(bash.wait(), 0) << bash.err();
  return bash.out();
}

TEST(Completion, WorksInBash) {
  EXPECT_EQ(offered("headgate rel", 1), "reload\n");
  EXPECT_EQ(offered("headgate keys ''", 2), "new hash check issue list revoke --help\n");
  EXPECT_EQ(offered("headgate keys new --ow", 3), "--owner\n");
  EXPECT_EQ(offered("headgate log-level --j", 2), "--json\n");
}

TEST(Help, OfACommandThatDoesNotExistIsAnError) {
  for (const Words& words : {Words{"statsu", "--help"}, Words{"statsu"}}) {
    const auto ran = run_headgate(words);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_EQ(ran.err, "headgate: unknown command \"statsu\"; did you mean \"status\"?\n");
  }
  const auto nested = run_headgate({"keys", "nwe", "--help"});
  EXPECT_EQ(nested.code, 2) << nested.out;
  EXPECT_EQ(nested.err, "headgate: unknown command \"nwe\"; did you mean \"new\"?\n");
  EXPECT_EQ(run_headgate({"keys", "new", "--help"}).code, 0);
  EXPECT_EQ(run_headgate({"help", "keys", "new"}).out, run_headgate({"keys", "new", "--help"}).out);
  EXPECT_TRUE(has(run_headgate({"help"}).out, "suspensions"));
  EXPECT_EQ(run_headgate({"help", "keys", "nwe"}).err, nested.err);
  EXPECT_EQ(run_headgate({"limits", "scan", "--help"}).code, 0) << "scan is no command";
}

}  // namespace
}  // namespace headgate::test
