#pragma once
// The questions of `headgate init`, and the files that it makes from the answers.

#include "headgate/core/per_enum.hpp"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::cli {

/// How callers identify themselves.
enum class StarterCallers { anyone, keys, tokens };
inline constexpr WordsUpTo<StarterCallers::tokens> kCallerWords({"anyone", "keys", "tokens"});

/// The five answers.
struct StarterAnswers {
  std::vector<std::string> servers{"http://127.0.0.1:3000"};  ///< URLs of the upstream servers
  StarterCallers callers = StarterCallers::anyone;
  std::string rate = "100/minute";  ///< rate of each caller
  unsigned gateways = 1;            ///< number of gateways; if it is more than one, they count together in Redis
  bool tls = false;                 ///< callers use https
};

/// A kind of initial configuration, with its answers.
struct StarterKind {
  std::string_view name;
  std::string_view what;
  StarterAnswers (*answers)();
};
inline constexpr std::size_t kStarterKinds = 3;
const std::array<StarterKind, kStarterKinds>& starter_kinds();

/// Returns why an answer is not valid, as sentences; empty if it is.
std::optional<std::string> why_no_server(const std::string& url);
std::optional<std::string> why_no_rate(const std::string& rate);

inline constexpr unsigned kMaxGateways = 1'000;

/// Asks for the five answers. An empty answer stands for the one in `usual`; after an invalid answer, asks again. Empty
/// if `in` ends before the last answer.
std::optional<StarterAnswers> ask_starter(std::istream& in, std::ostream& out, const StarterAnswers& usual);

/// The names of the files that a configuration refers to, in the same folder.
struct StarterNames {
  std::string config;
  std::string certificate;
  std::string key;
};

/// starter_config() returns a commented configuration, and starter_test() a policy test that passes with it. Both have
/// the layout of `headgate fmt`. The answers must be valid.
std::string starter_config(const StarterAnswers& answers, const StarterNames& names);
std::string starter_test(const StarterAnswers& answers, const StarterNames& names);

}  // namespace headgate::cli
