// Logs that go to syslog, to the journal and to a terminal, each with the other side of the socket in the test.

#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <thread>

namespace headgate::observe {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Receives datagrams.
class Receiver {
 public:
  explicit Receiver(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << std::strerror(errno);
  }
  Receiver() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
  }
  ~Receiver() { ::close(socket_); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  /// "" if none comes.
  std::string next(std::chrono::milliseconds within = 10s) const {
    pollfd watched{socket_, POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(within.count())) != 1) return {};
    std::string out(256UL * 1024, '\0');
    const auto size = ::recv(socket_, out.data(), out.size(), 0);
    out.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return out;
  }
  unsigned port = 0;

 private:
  int socket_;
};

/// The fields of an entry, read as journald reads them.
std::map<std::string, std::string> entry_of(std::string_view datagram) {
  std::map<std::string, std::string> out;
  while (!datagram.empty()) {
    const auto end = datagram.find('\n');
    if (end == datagram.npos) {
      ADD_FAILURE() << "a field without its end: " << datagram;
      break;
    }
    const auto line = datagram.substr(0, end);
    datagram.remove_prefix(end + 1);
    const auto equals = line.find('=');
    std::string_view name = line.substr(0, equals), value;
    if (equals != line.npos) {
      value = line.substr(equals + 1);
    } else {
      std::uint64_t size = 0;
      for (std::size_t i = 8; i > 0; --i) size = size << 8 | static_cast<unsigned char>(datagram[i - 1]);
      value = datagram.substr(8, size);
      EXPECT_EQ(datagram[8 + size], '\n');
      datagram.remove_prefix(8 + size + 1);
    }
    EXPECT_TRUE(std::regex_match(std::string(name), std::regex("[A-Z][A-Z0-9_]{0,63}"))) << name;
    out[std::string(name)] = value;
  }
  return out;
}

class LogSinks : public testing::Test {
 protected:
  LogSinks() {
    std::string made = (fs::temp_directory_path() / "headgate-sinks-XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) std::abort();
    folder = made;
    options.error = (folder / "error.log").string();
    options.instance = "gateway-1";
  }
  ~LogSinks() override { fs::remove_all(folder); }
  std::string socket() const { return (folder / "log").string(); }
  static AccessRecord record(std::string_view path = "/a") {
    AccessRecord out;
    out.request_id = "id-1";
    out.address = boost::asio::ip::make_address("203.0.113.7");
    out.method = "GET";
    out.host = "a.example";
    out.path = path;
    out.status = 429;
    out.ended_by = "limit";
    return out;
  }
  std::string errors() const {
    std::ostringstream out;
    out << std::ifstream(options.error).rdbuf();
    return out.str();
  }

  fs::path folder;
  LogOptions options;
};

TEST_F(LogSinks, SyslogGetsAMessageOfRfc5424ForEachLine) {
  const Receiver receiver(socket());
  options.access = options.error = "syslog:" + socket();
  Logs logs(options);
  auto access = logs.access_log();
  access.write(record());
  // PRI VERSION TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA MSG
  const std::string head = R"(1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [!-~]+ headgate \d+ )";
  const auto line = receiver.next();
  EXPECT_TRUE(std::regex_match(
      line, std::regex("<30>" + head + R"(request - .* 203\.0\.113\.7 429 GET a\.example/a .*id=id-1)")))
      << line;
  event(LogLevel::error, "something", "it happened");
  const auto told = receiver.next();
  EXPECT_TRUE(std::regex_match(told, std::regex("<27>" + head + R"(event - .* error something: it happened)"))) << told;
}

TEST_F(LogSinks, SyslogOverUdpGetsTheSame) {
  const Receiver receiver;
  options.access = "syslog:127.0.0.1:" + std::to_string(receiver.port);
  options.format = LogFormat::json;
  Logs logs(options);
  auto access = logs.access_log();
  access.write(record());
  const auto line = receiver.next();
  EXPECT_TRUE(line.starts_with("<30>1 ")) << line;
  EXPECT_NE(line.find(R"(request - {"ts":")"), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with('}'));
}

TEST_F(LogSinks, TheJournalGetsEachFieldAsAFieldWhateverTheFormat) {
  const Receiver receiver(socket());
  options.access = options.error = "journald:" + socket();
  options.format = LogFormat::text;
  options.callers = {"jwt.sub"};
  Logs logs(options);
  auto access = logs.access_log();
  const std::array<std::string_view, 1> callers{"two\nlines=\"\xc3\xa9\\"};
  auto one = record("/\x01");
  one.callers = callers;
  access.write(one);
  auto entry = entry_of(receiver.next());
  EXPECT_EQ(entry["SYSLOG_IDENTIFIER"], "headgate");
  EXPECT_EQ(entry["PRIORITY"], "6");
  EXPECT_EQ(entry["MESSAGE"], "429 GET a.example/\x01 limit");
  EXPECT_EQ(entry["HEADGATE_STATUS"], "429");
  EXPECT_EQ(entry["HEADGATE_REQUEST_ID"], "id-1");
  EXPECT_EQ(entry["HEADGATE_EVENT"], "request");
  EXPECT_EQ(entry["HEADGATE_INSTANCE"], "gateway-1");
  EXPECT_EQ(entry["HEADGATE_JWT_SUB"], callers[0]) << "byte by byte, also a line break";
  event(LogLevel::warning, "redis_lost", "it closed", {{"server", "127.0.0.1:6379"}, {"attempt", 3}});
  entry = entry_of(receiver.next());
  EXPECT_EQ(entry["PRIORITY"], "4");
  EXPECT_EQ(entry["MESSAGE"], "redis_lost: it closed");
  EXPECT_EQ(entry["HEADGATE_SERVER"], "127.0.0.1:6379");
  EXPECT_EQ(entry["HEADGATE_ATTEMPT"], "3");
}

TEST_F(LogSinks, TheJournalGetsNoCharacterThatActsOnATerminalOrALine) {
  const Receiver receiver(socket());
  options.access = "journald:" + socket();
  Logs logs(options);
  auto access = logs.access_log();
  auto one = record("/\u00eb\u2028\u202e\xff");
  access.write(one);
  EXPECT_EQ(entry_of(receiver.next())["HEADGATE_PATH"], "/\u00eb\\u2028\\u202e\xff");
}

TEST_F(LogSinks, LinesWaitWhileNobodyListensAndComeAfterwards) {
  auto receiver = std::make_unique<Receiver>(socket());
  options.access = "syslog:" + socket();
  Logs logs(options);
  auto access = logs.access_log();
  access.write(record("/first"));
  EXPECT_NE(receiver->next().find("/first"), std::string::npos);
  receiver.reset();
  fs::remove(socket());
  access.write(record("/second"));
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (errors().find("log_failed") == std::string::npos && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  EXPECT_NE(errors().find("log_failed"), std::string::npos);
  receiver = std::make_unique<Receiver>(socket());
  EXPECT_NE(receiver->next().find("/second"), std::string::npos);
  EXPECT_EQ(logs.dropped().access, 0U);
}

TEST_F(LogSinks, AReceiverThatDoesNotReadCostsLinesAndNoTime) {
  const Receiver receiver(socket());
  options.access = "journald:" + socket();
  Logs logs(options);
  auto access = logs.access_log();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 20'000; ++i) access.write(record());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
  EXPECT_GT(logs.dropped().access, 1'000U);
  EXPECT_NE(receiver.next().find("HEADGATE_STATUS=429"), std::string::npos);
}

TEST_F(LogSinks, ASocketThatIsNotThereIsAMistake) {
  options.access = "syslog:" + socket();
  LogOptions off;
  off.access = off.error = "off";
  const Logs logs(off);
  const auto next = logs.prepare(options);
  ASSERT_TRUE(next.has_error());
  EXPECT_EQ(next.error().why, "cannot write the log to " + socket() + ": No such file or directory");
}

TEST_F(LogSinks, KeepOkLeavesOutMostLinesThatSaySuccessAndCountsThem) {
  options.access = (folder / "access.log").string();
  options.format = LogFormat::json;
  options.keep_ok = 100'000;  // a tenth
  std::uint64_t kept = 0, told = 0;
  {
    Logs logs(options);
    auto access = logs.access_log();
    for (int i = 0; i < 10'000; ++i) {
      auto one = record();
      one.status = i % 100 == 0 ? 503 : i % 2 == 0 ? 200 : 302;
      if (!access.leaves_out(one.status)) access.write(one);
    }
    told = logs.dropped().ok_left_out;
  }
  std::ifstream lines(options.access);
  std::uint64_t failed = 0, dropped = 0;
  for (std::string line; std::getline(lines, line);) {
    (line.find("\"status\":503") != std::string::npos ? failed : kept)++;
    if (const auto at = line.find("\"dropped\":"); at != std::string::npos) dropped += std::stoul(line.substr(at + 10));
  }
  EXPECT_EQ(failed, 100U) << "each of them";
  EXPECT_GT(kept, 850U);
  EXPECT_LT(kept, 1150U);
  EXPECT_EQ(kept + told, 9'900U);
  EXPECT_LE(dropped, told);
  EXPECT_GT(dropped, told - 200) << "all but those after the last line";
}

TEST_F(LogSinks, ARefusalThatComesAgainAndAgainHasOneLineForAllWorkers) {
  options.access = (folder / "access.log").string();
  options.refusals_every = 1h;
  {
    Logs logs(options);
    auto one_worker = logs.access_log();
    auto other_worker = logs.access_log();
    for (int i = 0; i < 1'000; ++i) {
      auto one = record();
      one.limit = "per-ip";
      one.decision = "rejected";
      one.key = i % 10 == 0 ? "198.51.100.1" : "203.0.113.7";
      (i % 3 == 0 ? one_worker : other_worker).write(one);
    }
    one_worker.write(record());  // no limit, so no key
    EXPECT_EQ(logs.dropped().refusals_left_out, 998U);
  }
  std::ifstream lines(options.access);
  int count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, 3);
}

TEST_F(LogSinks, OnATerminalAStatusHasAColour) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const int line_side = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(line_side, 0);
  const int before = ::dup(STDOUT_FILENO);
  ::dup2(line_side, STDOUT_FILENO);
  ::unsetenv("NO_COLOR");
  options.access = "stdout";
  {
    Logs logs(options);
    logs.access_log().write(record());
  }
  ::dup2(before, STDOUT_FILENO);
  std::string out(4096, '\0');
  const auto size = ::read(terminal, out.data(), out.size());
  out.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  EXPECT_NE(out.find("\x1b[33m429\x1b[0m"), std::string::npos) << out;
  for (const int each : {terminal, line_side, before}) ::close(each);
}

}  // namespace
}  // namespace headgate::observe
