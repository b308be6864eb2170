// CPU time that a budget adds to a relayed call of a language model: `./dev bench budgets`.

#include "bench/identity_rounds.hpp"
#include "bench/machine.hpp"
#include "bench/main_of.hpp"
#include "bench/page.hpp"
#include "bench/process.hpp"
#include "bench/scratch_directory.hpp"
#include "bench/table.hpp"
#include "bench/traffic.hpp"
#include "budget_model.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace headgate::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUsage = R"(budgets_bench --headgate PATH [OPTION...]
  --rounds N    how often each figure is measured (default 15); the middle is shown, and the middle half
  --turn MS     how long each is measured in a round (default 1500)
  --page FILE   the page that holds the table
  --write       puts the table into the page
)";

constexpr unsigned kCalls = 16;            // under way at the same time
constexpr unsigned kPacedStreams = 64;     // likewise
constexpr unsigned kEventsOfStream = 256;  // of a stream: 64 KiB
constexpr auto kPace = 5ms;                // between two events
constexpr double kPiece = 16 * 1024;       // bytes of a stream for which the cost is shown
constexpr unsigned kFirstBytes = 31;       // waits for a first byte in a turn

struct Options {
  std::string headgate, page;
  unsigned rounds = 15;
  std::chrono::milliseconds turn{1500};
  bool write = false;
};

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--write") {
      options.write = true;
      continue;
    }
    if (++i == words.size()) return std::nullopt;
    if (word == "--headgate")
      options.headgate = words[i];
    else if (word == "--page")
      options.page = words[i];
    else if (word == "--rounds")
      options.rounds = static_cast<unsigned>(std::max(1, std::atoi(words[i].c_str())));
    else if (word == "--turn")
      options.turn = std::chrono::milliseconds(std::max(100, std::atoi(words[i].c_str())));
    else
      return std::nullopt;
  }
  if (options.headgate.empty() || (options.write && options.page.empty())) return std::nullopt;
  return options;
}

/// The kind of the answer to a call.
enum class Answer { whole, stream, paced };

std::string call_with(std::size_t prompt, Answer answer) {
  std::string body = R"({"model":"m","max_tokens":500,)" +
                     std::string(answer == Answer::whole    ? ""
                                 : answer == Answer::stream ? R"("stream":true,)"
                                                            : R"("stream":true,"paced":true,)") +
                     R"("messages":[{"role":"user","content":")";
  while (body.size() < prompt - 4) body += "some words of a prompt ";
  body += R"("}]})";
  return "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: a-key-of-the-bench-0001\r\n"
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A gateway with a budget or without one. Both know their callers.
class Gateway {
 public:
  Gateway(const Options& options, const std::string& folder, std::uint16_t model, bool budget, int core)
      : port_(free_port()), process_(command(options, folder, model, budget), core, folder + "/log") {
    if (!wait_for_port(port_, process_)) throw std::runtime_error("headgate did not start; see " + folder + "/log");
  }
  std::uint16_t port() const noexcept { return port_; }
  double cpu() const { return std::chrono::duration<double, std::micro>(process_.cpu_time()).count(); }

 private:
  std::vector<std::string> command(const Options& options, const std::string& folder, std::uint16_t model,
                                   bool budget) const {
    const auto file = folder + (budget ? "/with.json" : "/without.json");
    std::ofstream(file)
        << R"({"listen":"127.0.0.1:)" << port_ << R"(","workers":1,"admin":"off","log":{"access":"off"},)"
        << R"("identity":{"api_key":{"header":"X-API-Key","keys":{"acme":{"key":"a-key-of-the-bench-0001"}}}},)"
        << R"("upstreams":{"model":"http://127.0.0.1:)" << model << R"("},"usage":"/left",)"
        << R"("limits":{"tokens":{"rate":"10000000000/hour","algorithm":"fixed_window","per":"api_key"}},)"
        << R"("routes":[{"path":"/v1/*","to":"model","require":"api_key","limits":[)"
        << (budget ? R"({"use":"tokens","cost":{"usage":"openai","hold":{"input":4,"otherwise":500},)"
                     R"("most":200000,"debt":true}})"
                   : "")
        << "]}]}";
    return {options.headgate, "run", "-c", file};
  }

  std::uint16_t port_;
  Process process_;
};

/// Sends a request and returns the answer up to its first `enough` bytes, and the time until the first byte.
struct FirstByte {
  std::string answer;
  double microseconds = 0;
};
FirstByte first_byte(std::uint16_t port, const std::string& request) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  std::string answer(4096, '\0');
  const bool connected = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const auto begun = std::chrono::steady_clock::now();
  ssize_t got = 0;
  if (connected && send(fd, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size()))
    got = recv(fd, answer.data(), answer.size(), 0);
  const auto took = std::chrono::steady_clock::now() - begun;
  close(fd);
  if (got <= 0 || !answer.starts_with("HTTP/1.1 200")) throw std::runtime_error("no answer: " + answer.substr(0, 200));
  return {answer, std::chrono::duration<double, std::micro>(took).count()};
}

/// A kind of call, and its costs without and with a budget, round by round.
struct Figure {
  std::string what, bar;
  std::size_t prompt;
  Answer answer = Answer::whole;
  Costs cpu[2] = {}, wait[2] = {};
};

void measure_turn(Traffic& traffic, const BudgetModel& model, const Gateway& gateway, Figure& figure, bool budget,
                  const Options& options) {
  const auto request = call_with(figure.prompt, figure.answer);
  const bool paced = figure.answer == Answer::paced;
  traffic.run_for(50ms);  // the other gateway ends its calls
  Costs waits;
  for (unsigned i = 0; i < kFirstBytes; ++i) waits.push_back(first_byte(gateway.port(), request).microseconds);
  figure.wait[budget].push_back(spread(waits).middle);
  traffic.start(gateway.port(), {.connections = paced ? kPacedStreams : kCalls}, {request});
  traffic.run_for(100ms);
  const auto before = traffic.tally().ok;
  const auto events = model.events_sent();
  const auto cpu = gateway.cpu();
  traffic.run_for(options.turn);
  const auto used = gateway.cpu() - cpu;
  const auto& tally = traffic.tally();
  if (tally.failed > 0 || tally.refused > 0 || (!paced && tally.ok == before))
    throw std::runtime_error(figure.what + ": a call was refused or lost");
  // Paced streams are cut by the turn, so their bytes count.
  const auto calls = static_cast<double>(tally.ok - before);
  const auto per = paced ? static_cast<double>((model.events_sent() - events) * kEventBytes) / kPiece
                   : figure.answer == Answer::stream ? calls * kEventsOfStream * kEventBytes / kPiece
                                                     : calls;
  figure.cpu[budget].push_back(used / per);
  traffic.stop();
}

Spread difference(const Figure& figure) {
  Costs out;
  for (std::size_t i = 0; i < figure.cpu[0].size(); ++i) out.push_back(figure.cpu[1][i] - figure.cpu[0][i]);
  return spread(out);
}

std::string with_spread(const Spread& spread, int digits) {
  return number(spread.middle, digits) + " (" + number(spread.low, digits) + " to " + number(spread.high, digits) + ")";
}

std::string budget_table(const std::vector<Figure>& figures) {
  std::string out =
      "| call | without a budget | a budget adds | first byte with a budget |\n"
      "|---|---|---|---|\n";
  for (const auto& each : figures)
    out += "| " + each.what + " | " + number(spread(each.cpu[0]).middle, 1) + " µs | " +
           with_spread(difference(each), 1) + " µs | × " + with_spread(share(each.wait[1], each.wait[0]), 2) + " |\n";
  return out;
}

int run(const Options& options) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores < 2) throw std::runtime_error("this needs two cores: one for headgate, one for the load and the server");
  wait_for_the_machine();
  allow_many_files();
  enter_own_network();
  pin_to(0);
  const ScratchDirectory directory;
  BudgetModel model(kEventsOfStream, kPace);
  const Gateway without(options, directory.path(), model.port(), false, cores - 1);
  const Gateway with(options, directory.path(), model.port(), true, cores - 1);
  Traffic traffic;
  std::vector<Figure> figures{{"prompt of 1 KiB, answer of 0.8 KiB", "at most 25", 1024},
                              {"prompt of 16 KiB", "", 16UL * 1024},
                              {"prompt of 300 KiB", "", 300UL * 1024},
                              {"16 KiB of a stream in large pieces", "", 1024, Answer::stream},
                              {"16 KiB of a stream, an event each 5 ms", "at most 1", 1024, Answer::paced}};
  std::cout << machine() << "; " << first_line_of(options.headgate + " --version") << '\n';
  for (unsigned round = 0; round < options.rounds; ++round)
    for (auto& figure : figures)
      for (const bool second : {false, true}) {
        const bool budget = (round % 2 == 0) == second;
        measure_turn(traffic, model, budget ? with : without, figure, budget, options);
      }
  const auto left =
      first_byte(with.port(), "GET /left HTTP/1.1\r\nHost: a\r\nX-API-Key: a-key-of-the-bench-0001\r\n\r\n");
  if (left.answer.find("\"used\"") == left.answer.npos || left.answer.find("\"used\":0,") != left.answer.npos)
    throw std::runtime_error("the budget counted nothing: " + left.answer);
  for (const auto& figure : figures) {
    const auto more = difference(figure);
    std::optional<bool> reached;
    if (!figure.bar.empty()) reached = more.middle <= std::atof(figure.bar.c_str() + figure.bar.find_last_of(' '));
    print({{figure.what + ", µs of CPU without a budget", "", with_spread(spread(figure.cpu[0]), 1), std::nullopt},
           {"  more with a budget", figure.bar, with_spread(more, 2), reached},
           {"  first byte without a budget, µs", "", with_spread(spread(figure.wait[0]), 0), std::nullopt},
           {"  first byte, as a share", "", with_spread(share(figure.wait[1], figure.wait[0]), 3), std::nullopt}});
  }
  if (!options.write) return 0;
  std::ifstream in(options.page);
  const std::string page(std::istreambuf_iterator<char>(in), {});
  std::ofstream(options.page) << with_part(page, "budgets", budget_table(figures)) << std::flush;
  return 0;
}

}  // namespace
}  // namespace headgate::bench

int main(int argc, char** argv) {
  using namespace headgate::bench;
  return main_of(kUsage, parse({argv + 1, argv + argc}), [](const auto& options) { return run(options); });
}
