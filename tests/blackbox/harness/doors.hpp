#pragma once
// Files of other products in which something keeps strangers out, for tests that their translations keep them out, too.

#include <ostream>
#include <string>

namespace headgate::test {

/// A file whose product refuses a request that shows no credential.
struct Door {
  const char* name;          ///< of letters and digits
  const char* text;          ///< "APP" stands for the port of the server behind it, "DIR" for a folder with `users`
  const char* target = "/";  ///< of the request
  const char* fields = "";   ///< of the request, each with its end of line
  const char* method = "GET";
};

/// So that a failed test shows its name.
inline void PrintTo(const Door& door, std::ostream* out) { *out << door.name; }

/// Imports the door's file as `file_name`, runs a gateway with the translation, and sends the request: the answer is a
/// refusal (401, 403, 404, 405, 503, or the listener is not there), and no server sees the request.
void expect_closed(const Door& door, const std::string& file_name);
/// The opposite, for the requests that nothing in the file refuses.
void expect_open(const Door& door, const std::string& file_name);

}  // namespace headgate::test
