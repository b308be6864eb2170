#pragma once
// The codes of all diagnostics. They are stable, because editors and CI filters use them; no code ever gets a second
// meaning.

#include <string_view>

namespace headgate::config::code {

inline constexpr std::string_view kSyntax = "HG101";        // the text is not JSON
inline constexpr std::string_view kEncoding = "HG102";      // not UTF-8, or not text at all
inline constexpr std::string_view kTooBig = "HG103";        // too long or too deep
inline constexpr std::string_view kDuplicateKey = "HG104";  // a key written twice in one object
inline constexpr std::string_view kUnknownKey = "HG201";    // no such key here
inline constexpr std::string_view kNotAvailable = "HG202";  // planned, but not in this version
inline constexpr std::string_view kType = "HG203";          // a value of the wrong JSON type
inline constexpr std::string_view kMissing = "HG204";       // a key that must be there
inline constexpr std::string_view kLiteral = "HG205";       // text that is not valid for its key
inline constexpr std::string_view kChoice = "HG206";        // not one of the words allowed
inline constexpr std::string_view kRange = "HG207";         // too small, too large, too few, too many
inline constexpr std::string_view kPlaceholder = "HG301";   // ${...} that cannot be replaced
inline constexpr std::string_view kUnresolved = "HG401";    // a name that does not exist
inline constexpr std::string_view kDuplicate = "HG402";     // the same thing twice
inline constexpr std::string_view kTarget = "HG403";        // a route needs exactly one of "to", "respond", "redirect"
inline constexpr std::string_view kKeyAbsent = "HG404";     // a limit counts by something that a request may lack
inline constexpr std::string_view kCost = "HG405";          // a cost that can never be granted
inline constexpr std::string_view kAlgorithm = "HG406";     // an algorithm does not accept its parameters
inline constexpr std::string_view kCredentials = "HG407";   // keys that do not fit their algorithms, or cannot be read
inline constexpr std::string_view kTooManyRules = "HG408";  // more rates on a route than one request can have
inline constexpr std::string_view kConflict = "HG409";      // two keys that contradict each other
inline constexpr std::string_view kUnreachable = "HG501";   // warning: a route no request can reach
inline constexpr std::string_view kUnused = "HG502";        // warning: nothing uses it
inline constexpr std::string_view kProxies = "HG503";       // warning: wrong, missing or too many trusted proxies
inline constexpr std::string_view kNoEffect = "HG504";      // warning: a key that changes nothing here
inline constexpr std::string_view kUnverified = "HG505";    // warning: a peer is accepted without verification
inline constexpr std::string_view kGuessable = "HG506";     // warning: a secret that is too short
inline constexpr std::string_view kBelieved = "HG507";      // warning: a value that any caller can choose
inline constexpr std::string_view kForgotten = "HG508";     // warning: the counters are lost before their period ends
inline constexpr std::string_view kUnwritable = "HG509";    // warning: a file that cannot be written

inline constexpr std::string_view kCertificate = "HG515";  // warning: a certificate that clients refuse, or do not get
inline constexpr std::string_view kElsewhere = "HG516";    // warning: clients are sent where nothing listens

// HG600 and above: advice. Each code is a row in config/advice/table.cpp.

}  // namespace headgate::config::code
