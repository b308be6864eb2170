#pragma once
// The words of problems for programs, for people who run clients, and for visitors of pages.

#include "headgate/gateway/problem.hpp"

#include <string_view>

namespace headgate::gateway {

/// The sentence of a problem, and when to try again if the sentence does not say so. Views into the problem, static
/// storage or the arena.
struct ProblemWords {
  std::string_view title;
  std::string_view detail;
  std::string_view when;  ///< "Try again in 5 seconds.", or empty
};

/// Returns the standard reason phrase of the status; if it has none, the phrase of its class.
std::string_view title_of(unsigned status) noexcept;

/// Returns the words for the author of the client, as the gateway's operator would explain the problem.
ProblemWords words_of(TextArena& text, const Problem& problem);

/// Returns the words for a visitor of the site, without mention of limits, servers and gateways.
ProblemWords visitor_words_of(TextArena& text, const Problem& problem);

/// Writes the request id as the last member of a JSON object, and the end of the object. `id` has only letters, digits,
/// "-", "_" and "."; if it is empty, only the end is written.
void write_request_id(TextCursor& out, std::string_view id) noexcept;

/// Returns both sentences as one, for answers that have only one text.
std::string_view sentence_of(TextArena& text, const ProblemWords& words);

}  // namespace headgate::gateway
