#pragma once
// Prints answers of the admin interface for people.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace headgate::cli {

using Json = nlohmann::ordered_json;

/// Returns the text of a member; a number as it is written; "" if the member is absent.
std::string text_in(const Json& object, const char* name);
/// Returns a member that is a whole number; 0 if it is absent.
std::uint64_t count_in(const Json& object, const char* name);
/// Returns the texts of a list member, separated by commas.
std::string words_in(const Json& object, const char* name);
/// Returns a list member; an empty list if it is absent.
const Json& list_in(const Json& object, const char* name);

/// Returns a number; 0 if it is absent.
double real_in(const Json& object, const char* name);
/// Returns a number for people: "12", "0.25"; "" if it is absent.
std::string number_in(const Json& object, const char* name);
/// Returns a number of seconds as "4.1 ms"; "" if it is absent.
std::string milliseconds_in(const Json& object, const char* name);

/// Prints one line of a text from the gateway, made safe for a terminal.
void print_line(const std::string& text);

void print_status(const Json& answer);
void print_reload(const Json& answer);
void print_servers(const Json& answer);
void print_bounds(const Json& answer);
void print_certificates(const Json& answer);
/// Prints the problems of certificates to stderr, one per line. Returns whether there are any.
bool complain_of_certificates(const Json& answer);
void print_suspensions(const Json& answer);
void print_overrides(const Json& answer);
/// Returns how many gateways know of a change, to be appended to its description: ", heard by 2 of 2 gateways".
std::string heard_text(const Json& answer);
void print_limits(const Json& answer);
void print_limit(const Json& answer);
void print_key(const Json& answer);
void print_config(const Json& answer);
void print_differences(const Json& answer);

}  // namespace headgate::cli
