// Asks the questions of `headgate init`, and checks the answers.

#include "starter.hpp"

#include "headgate/config/load.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <ostream>

namespace headgate::cli {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : std::string(line) + ' ') {
    if (c != ' ' && c != ',' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  return out;
}

class Interview {
 public:
  Interview(std::istream& in, std::ostream& out) : in_(in), out_(out) {}

  /// Repeats the question until `take` accepts the answer. Returns false if the input ends.
  template <class Take>
  bool ask(std::string_view question, const std::string& usual, const Take& take) {
    for (;;) {
      out_ << question << " [" << usual << "] " << std::flush;
      std::string line;
      if (!std::getline(in_, line)) return false;
      const auto answer = trimmed(std::string_view(line).substr(0, line.find('\r')));
      if (answer.empty()) return true;
      const std::optional<std::string> objection = take(std::string(answer));
      if (!objection) return true;
      out_ << "  " << *objection << '\n';
    }
  }

 private:
  std::istream& in_;
  std::ostream& out_;
};

std::optional<std::string> take_servers(const std::string& answer, std::vector<std::string>& out) {
  const auto urls = words_of(answer);
  if (urls.empty()) return "write at least one URL";
  for (const auto& url : urls)
    if (auto objection = why_no_server(url)) return objection;
  out = urls;
  return std::nullopt;
}

std::optional<std::string> take_callers(const std::string& answer, StarterCallers& out) {
  const auto at = std::find(kCallerWords.begin(), kCallerWords.end(), answer);
  if (at == kCallerWords.end()) return "write one of: " + joined(kCallerWords, ", ");
  out = static_cast<StarterCallers>(at - kCallerWords.begin());
  return std::nullopt;
}

std::optional<std::string> take_gateways(const std::string& answer, unsigned& out) {
  const auto count = whole_number<unsigned>(answer, 1, kMaxGateways);
  if (!count) return "write a number from 1 to " + std::to_string(kMaxGateways);
  out = *count;
  return std::nullopt;
}

std::optional<std::string> take_yes(const std::string& answer, bool& out) {
  const auto word = lower(answer);
  if (word != "y" && word != "yes" && word != "n" && word != "no") return "write yes or no";
  out = word.front() == 'y';
  return std::nullopt;
}

}  // namespace

const std::array<StarterKind, kStarterKinds>& starter_kinds() {
  static constexpr std::array<StarterKind, kStarterKinds> kKinds{{
      {"minimal", "one limit for each address", [] { return StarterAnswers{}; }},
      {"saas", "customers with tokens, and plans",
       [] {
         StarterAnswers out;
         out.callers = StarterCallers::tokens;
         out.rate = "60/minute";
         return out;
       }},
      {"cluster", "partners with API keys, several gateways that count in Redis together",
       [] {
         StarterAnswers out;
         out.callers = StarterCallers::keys;
         out.rate = "600/minute";
         out.gateways = 3;
         return out;
       }},
  }};
  return kKinds;
}

// Loads a configuration with this URL: config::load() decides which URLs of servers are valid, and says what is wrong
// with others.
std::optional<std::string> why_no_server(const std::string& url) {
  const auto loaded = config::load(R"({ "listen": ":1", "upstreams": { "app": )" +
                                   nlohmann::json(url).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                                   R"( }, "routes": [{ "path": "/*", "to": "app" }] })");
  if (url.find("${") != std::string::npos) return "write the URL itself";
  if (loaded.config) return std::nullopt;
  const auto& first = loaded.diagnostics.front();
  return first.message + (first.help.empty() ? "" : "; " + first.help);
}

std::optional<std::string> why_no_rate(const std::string& rate) {
  constexpr std::uint64_t kMaxCount = 100'000;  // bounded, because the policy test sends ten times as many requests
  const auto read = parse_rate(rate);
  if (read.has_error()) return read.error().message + "; " + read.error().help;
  if (read->month) return "a month needs another algorithm: begin with a day, and see docs/algorithms.md";
  if (read->count > kMaxCount) return "begin with at most " + std::to_string(kMaxCount);
  return std::nullopt;
}

std::optional<StarterAnswers> ask_starter(std::istream& in, std::ostream& out, const StarterAnswers& usual) {
  auto answers = usual;
  Interview interview(in, out);
  const bool done =
      interview.ask("Where do requests go? URLs of your servers", joined(usual.servers, " "),
                    [&](const auto& answer) { return take_servers(answer, answers.servers); }) &&
      interview.ask("Who calls: anyone, keys (API keys) or tokens (JWT)?",
                    std::string(kCallerWords.at(static_cast<std::size_t>(usual.callers))),
                    [&](const auto& answer) { return take_callers(answer, answers.callers); }) &&
      interview.ask("How much may each of them request?", usual.rate,
                    [&](const auto& answer) {
                      auto objection = why_no_rate(answer);
                      if (!objection) answers.rate = answer;
                      return objection;
                    }) &&
      interview.ask("How many gateways share the limits? More than one need Redis", std::to_string(usual.gateways),
                    [&](const auto& answer) { return take_gateways(answer, answers.gateways); }) &&
      interview.ask("Do callers come with https? A certificate to try with is made", usual.tls ? "yes" : "no",
                    [&](const auto& answer) { return take_yes(answer, answers.tls); });
  if (!done) return std::nullopt;
  return answers;
}

}  // namespace headgate::cli
