#pragma once
// Routes whose protection could not be translated. They answer 503 until a person decides who may use them.

#include "translate/draft/draft.hpp"

#include <string>
#include <string_view>

namespace headgate::translate {

/// Closes a route: it answers 503 to everybody, whatever other keys are set before or after. `protection` is the
/// product's word for the missing protection, such as "auth_basic". Answers to callers contain this word, so it must
/// not contain values of the file. `what` is the text at `spot`, and `why` says what to write.
void close_route(DraftEntry& route, const std::string& protection, const Spot& spot, const std::string& what,
                 const std::string& why);

/// Turns off a TLS listener whose certificate was not translated, because the listener must not be opened without TLS.
/// The file has it only as a comment.
void close_listener(DraftEntry& listener, const Spot& spot, const std::string& what);

/// Returns whether the route sends requests of every caller to a server.
bool lets_all_in(const DraftEntry& route);

/// Returns whether one request may match both routes.
bool may_meet(const DraftEntry& one, const DraftEntry& other);
/// Returns whether headgate prefers `first` for requests that match both routes.
bool is_before(const DraftEntry& first, const DraftEntry& second);

/// Returns whether a route would admit more callers if it lacked this key, such as "auth" or "require".
bool is_protection(std::string_view key);

/// Closes the routes to which the requests of `route` fall through, because `route` is not in the file: those with less
/// specific paths for the same hosts.
void close_behind(Draft& draft, const DraftEntry& route, const std::string& protection, const std::string& why);

/// Writes the 503 answer into all closed routes. Their other keys become a comment.
void answer_for_closed(Draft& draft);

}  // namespace headgate::translate
