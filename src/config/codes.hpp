#pragma once
// The codes of all diagnostics. Stable: editors and CI filters know them; a code is never given a second meaning.

#include <string_view>

namespace headgate::config::code {

inline constexpr std::string_view kSyntax = "HG101";        // the text is not JSON
inline constexpr std::string_view kEncoding = "HG102";      // not UTF-8, or not text at all
inline constexpr std::string_view kTooBig = "HG103";        // too long or too deep
inline constexpr std::string_view kDuplicateKey = "HG104";  // a key written twice in one object
inline constexpr std::string_view kUnknownKey = "HG201";    // no such key here
inline constexpr std::string_view kNotAvailable = "HG202";  // planned, and not in this version
inline constexpr std::string_view kType = "HG203";          // a value of the wrong JSON type
inline constexpr std::string_view kMissing = "HG204";       // a key that must be there
inline constexpr std::string_view kLiteral = "HG205";       // text that does not read as what it should be
inline constexpr std::string_view kChoice = "HG206";        // not one of the words allowed
inline constexpr std::string_view kRange = "HG207";         // too small, too large, too few, too many
inline constexpr std::string_view kPlaceholder = "HG301";   // ${...} that cannot be replaced
inline constexpr std::string_view kUnresolved = "HG401";    // a name that nothing has
inline constexpr std::string_view kDuplicate = "HG402";     // the same thing twice
inline constexpr std::string_view kTarget = "HG403";        // a route needs exactly one of "to" and "respond"
inline constexpr std::string_view kKeyAbsent = "HG404";     // a limit counts by what a request may lack
inline constexpr std::string_view kCost = "HG405";          // a cost that can never be granted
inline constexpr std::string_view kAlgorithm = "HG406";     // an algorithm refuses its parameters
inline constexpr std::string_view kCredentials = "HG407";   // keys that do not fit their algorithms, or cannot be read
inline constexpr std::string_view kTooManyRules = "HG408";  // more rates on a route than one request can be under
inline constexpr std::string_view kConflict = "HG409";      // two keys that contradict each other
inline constexpr std::string_view kUnreachable = "HG501";   // warning: a route no request can reach
inline constexpr std::string_view kUnused = "HG502";        // warning: nothing uses it
inline constexpr std::string_view kProxies = "HG503";       // warning: whom the client address is believed from
inline constexpr std::string_view kNoEffect = "HG504";      // warning: a key that changes nothing here
inline constexpr std::string_view kUnverified = "HG505";    // warning: a peer is believed without proof
inline constexpr std::string_view kGuessable = "HG506";     // warning: a secret that is too short
inline constexpr std::string_view kBelieved = "HG507";      // warning: a field that any caller can write is believed
inline constexpr std::string_view kForgotten = "HG508";     // warning: a count that lasts longer than what holds it
inline constexpr std::string_view kUnwritable = "HG509";    // warning: a file that cannot be written

}  // namespace headgate::config::code
