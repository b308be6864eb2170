#pragma once
// The codes of all diagnostics. They are stable, because editors and CI filters use them; no code ever gets a second
// meaning.

#include <string_view>

namespace headgate::config::code {

inline constexpr std::string_view kSyntax = "HG101";        // the text is not JSON
inline constexpr std::string_view kEncoding = "HG102";      // the text is not UTF-8, or is binary
inline constexpr std::string_view kTooBig = "HG103";        // a text that is too long or nested too deeply
inline constexpr std::string_view kDuplicateKey = "HG104";  // a key written twice in one object
inline constexpr std::string_view kUnknownKey = "HG201";    // a key that does not exist at this place
inline constexpr std::string_view kNotAvailable = "HG202";  // a key that is planned, but does not exist in this version
inline constexpr std::string_view kType = "HG203";          // a value of the wrong JSON type
inline constexpr std::string_view kMissing = "HG204";       // a required key is missing
inline constexpr std::string_view kLiteral = "HG205";       // text that is not valid for its key
inline constexpr std::string_view kChoice = "HG206";        // a word that is not among the allowed ones
inline constexpr std::string_view kRange = "HG207";         // a value or a number of elements outside its range
inline constexpr std::string_view kPlaceholder = "HG301";   // a placeholder ${...} that cannot be replaced
inline constexpr std::string_view kUnresolved = "HG401";    // a name that does not exist
inline constexpr std::string_view kDuplicate = "HG402";     // the same thing twice
inline constexpr std::string_view kTarget = "HG403";        // a route needs exactly one of "to", "respond", "redirect"
inline constexpr std::string_view kKeyAbsent = "HG404";     // a limit counts by a key that a request may lack
inline constexpr std::string_view kCost = "HG405";  // a cost that exceeds the limit, so that no request is ever granted
inline constexpr std::string_view kAlgorithm = "HG406";     // parameters that the algorithm does not accept
inline constexpr std::string_view kCredentials = "HG407";   // keys that do not fit their algorithms, or cannot be read
inline constexpr std::string_view kTooManyRules = "HG408";  // more rates on a route than one request can have
inline constexpr std::string_view kConflict = "HG409";      // two keys that contradict each other
inline constexpr std::string_view kUnreachable = "HG501";   // warning: a route no request can reach
inline constexpr std::string_view kUnused = "HG502";        // warning: a definition that nothing uses
inline constexpr std::string_view kProxies = "HG503";       // warning: wrong, missing or too many trusted proxies
inline constexpr std::string_view kNoEffect = "HG504";      // warning: a key that has no effect here
inline constexpr std::string_view kUnverified = "HG505";    // warning: a peer is accepted without verification
inline constexpr std::string_view kGuessable = "HG506";     // warning: a secret that is too short
inline constexpr std::string_view kBelieved = "HG507";      // warning: a value that any caller can choose is trusted
inline constexpr std::string_view kForgotten = "HG508";     // warning: the counters are lost before their period ends
inline constexpr std::string_view kUnwritable = "HG509";    // warning: a file that cannot be written

// warning: a certificate that clients reject or never receive
inline constexpr std::string_view kCertificate = "HG515";
// warning: clients are redirected to a port where nothing listens
inline constexpr std::string_view kElsewhere = "HG516";

// Codes from HG600 on are advice. Each is a row in config/advice/table.cpp.

}  // namespace headgate::config::code
