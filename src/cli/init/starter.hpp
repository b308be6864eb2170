#pragma once
// What `headgate init` asks, and the files that it makes of the answers.

#include "headgate/core/per_enum.hpp"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::cli {

/// Who calls.
enum class StarterCallers { anyone, keys, tokens };
inline constexpr WordsUpTo<StarterCallers::tokens> kCallerWords({"anyone", "keys", "tokens"});

/// The five answers.
struct StarterAnswers {
  std::vector<std::string> servers{"http://127.0.0.1:3000"};  ///< what stands behind
  StarterCallers callers = StarterCallers::anyone;
  std::string rate = "100/minute";  ///< how much each caller may request
  unsigned gateways = 1;            ///< more than one: they count in Redis together
  bool tls = false;                 ///< whether callers come with https
};

/// Kinds of starts: answers to begin with.
struct StarterKind {
  std::string_view name;
  std::string_view what;
  StarterAnswers (*answers)();
};
inline constexpr std::size_t kStarterKinds = 3;
const std::array<StarterKind, kStarterKinds>& starter_kinds();

/// Why an answer cannot be used, as sentences; nothing if it can.
std::optional<std::string> why_no_server(const std::string& url);
std::optional<std::string> why_no_rate(const std::string& rate);

inline constexpr unsigned kMaxGateways = 1'000;

/// Asks for the five answers; an empty one takes what is in `usual`, a bad one is asked for again. Nothing if `in`
/// ends before the last answer.
std::optional<StarterAnswers> ask_starter(std::istream& in, std::ostream& out, const StarterAnswers& usual);

/// The files that a start refers to, beside each other.
struct StarterNames {
  std::string config;
  std::string certificate;
  std::string key;
};

/// A commented configuration, and its policy test, which holds for it. Both are as `headgate fmt` lays them out. The
/// answers can be used.
std::string starter_config(const StarterAnswers& answers, const StarterNames& names);
std::string starter_test(const StarterAnswers& answers, const StarterNames& names);

}  // namespace headgate::cli
