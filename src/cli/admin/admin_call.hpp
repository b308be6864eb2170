#pragma once
// Calls of the admin interface, with their answers printed.

#include "admin_client.hpp"
#include "admin_print.hpp"

#include <functional>

namespace headgate::cli {

/// Calls the gateway and prints the answer: as it came, or as `print` does. Returns the exit code.
int call_and_print(const AdminOptions& options, const AdminRequest& request,
                   const std::function<void(const Json&)>& print,
                   const std::function<void(const Json&)>& also_json = {});

/// `headgate reset LIMIT --all`. Asks for one part after the other until all keys are done, and prints how many there
/// were. Returns the exit code: kFailed if a server of Redis could not be asked.
int reset_all(const AdminOptions& options, const std::string& limit);

}  // namespace headgate::cli
