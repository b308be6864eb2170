#pragma once
// Calls the admin interface and prints the answers.

#include "admin_client.hpp"
#include "admin_print.hpp"

#include <functional>

namespace headgate::cli {

/// Calls the gateway and prints the answer: unchanged with --json, otherwise with `print`. Returns the exit code.
int call_and_print(const AdminOptions& options, const AdminRequest& request,
                   const std::function<void(const Json&)>& print,
                   const std::function<void(const Json&)>& also_json = {});

/// Implements `headgate reset LIMIT --all`. Makes call after call until all keys are reset, and prints their number.
/// Returns the exit code, which is kFailed if a Redis server could not be asked.
int reset_all(const AdminOptions& options, const std::string& limit);

}  // namespace headgate::cli
