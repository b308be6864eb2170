#pragma once
// A problem in words: for programs, for people who run clients, and for visitors of pages.

#include "headgate/gateway/problem.hpp"

#include <string_view>

namespace headgate::gateway {

/// Its sentence, and when to try again where the sentence does not say it. Views into the problem, static storage or
/// the arena.
struct ProblemWords {
  std::string_view title;
  std::string_view detail;
  std::string_view when;  ///< "Try again in 5 seconds.", or empty
};

/// The standard reason of the status, or that of its class if it has none.
std::string_view title_of(unsigned status) noexcept;

/// As the operator of the gateway would tell it to whoever wrote the client.
ProblemWords words_of(TextArena& text, const Problem& problem);

/// As a visitor of the site understands it: nothing of limits, servers and gateways.
ProblemWords visitor_words_of(TextArena& text, const Problem& problem);

/// The last member of an object of JSON, and its end. `id` has only letters, digits, "-", "_" and "."; empty: the end
/// alone.
void write_request_id(TextCursor& out, std::string_view id) noexcept;

/// The sentence of an answer that has only one.
std::string_view sentence_of(TextArena& text, const ProblemWords& words);

}  // namespace headgate::gateway
