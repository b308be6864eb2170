#pragma once
// What the commands that talk to a gateway print of its answers, for people.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace headgate::cli {

using Json = nlohmann::ordered_json;

/// The text of a member; a number as it is written; "" if it is not there.
std::string text_in(const Json& object, const char* name);
/// A member that is a whole number; 0 if it is not there.
std::uint64_t count_in(const Json& object, const char* name);
/// The texts of a member that is a list, with commas.
std::string words_in(const Json& object, const char* name);
/// The members of a member that is a list; empty if it is not there.
const Json& list_in(const Json& object, const char* name);

/// A number; 0 if it is not there.
double real_in(const Json& object, const char* name);
/// A number as people read it: "12", "0.25"; "" if it is not there.
std::string number_in(const Json& object, const char* name);
/// A number of seconds: "4.1 ms"; "" if it is not there.
std::string milliseconds_in(const Json& object, const char* name);

/// One line of text from elsewhere.
void print_line(const std::string& text);

void print_status(const Json& answer);
void print_reload(const Json& answer);
void print_servers(const Json& answer);
void print_bounds(const Json& answer);
void print_certificates(const Json& answer);
/// What is wrong with certificates, a line each on stderr. Whether anything is.
bool complain_of_certificates(const Json& answer);
void print_suspensions(const Json& answer);
void print_overrides(const Json& answer);
/// Which gateways know of a change, to follow what has changed: ", heard by 2 of 2 gateways".
std::string heard_text(const Json& answer);
void print_limits(const Json& answer);
void print_limit(const Json& answer);
void print_key(const Json& answer);
void print_config(const Json& answer);
void print_differences(const Json& answer);

}  // namespace headgate::cli
