#pragma once
// Routes whose protection could not be translated: they answer 503 until a person has decided who may use them.

#include "translate/draft/draft.hpp"

#include <string>
#include <string_view>

namespace headgate::translate {

/// Closes a route for everybody: it answers 503 in place of what it would do, whatever is set in it before or after.
/// `protection` is the product's word for what protects it, such as "auth_basic". Callers read it, so it must hold no
/// value of the file. `what` stands at `spot`; `why` says what to write.
void close_route(DraftEntry& route, const std::string& protection, const Spot& spot, const std::string& what,
                 const std::string& why);

/// A listener with TLS whose certificate was not translated: it stands in the file as a comment only, because it must
/// not be opened without TLS.
void close_listener(DraftEntry& listener, const Spot& spot, const std::string& what);

/// Whether it sends the requests of all callers to a server.
bool lets_all_in(const DraftEntry& route);

/// Whether both may be for one request.
bool may_meet(const DraftEntry& one, const DraftEntry& other);
/// Whether headgate gives requests that both are for to `first`.
bool is_before(const DraftEntry& first, const DraftEntry& second);

/// Whether a route without this key would let in callers whom it refuses with it: "auth", "require", …
bool is_protection(std::string_view key);

/// Closes the routes that would get the requests of `route`, which does not stand in the file: those of less specific
/// paths for the same hosts.
void close_behind(Draft& draft, const DraftEntry& route, const std::string& protection, const std::string& why);

/// Writes the answer into all closed routes; what they would do without their protection becomes a comment.
void answer_for_closed(Draft& draft);

}  // namespace headgate::translate
