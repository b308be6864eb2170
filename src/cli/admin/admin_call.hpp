#pragma once
// One call of the admin interface, with its answer printed.

#include "admin_client.hpp"
#include "admin_print.hpp"

#include <functional>

namespace headgate::cli {

/// Calls the gateway and prints the answer: as it came, or as `print` does. Returns the exit code.
int call_and_print(const AdminOptions& options, const AdminRequest& request,
                   const std::function<void(const Answer&)>& print,
                   const std::function<void(const Answer&)>& also_json = {});

}  // namespace headgate::cli
